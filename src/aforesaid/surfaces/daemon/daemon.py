"""The methods of a daemon: `hook` and `mcp` for hosts; `status`, `retire` and `stop` to manage it."""

from __future__ import annotations

import os
import resource
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aforesaid
from aforesaid._util.private_files import private_folder
from aforesaid.errors import AforesaidError
from aforesaid.hosts.log import describe_error
from aforesaid.settings import Settings
from aforesaid.surfaces.daemon import connection as rpc
from aforesaid.surfaces.daemon.client import ClientIdentity, code_stamp
from aforesaid.surfaces.daemon.server import DaemonServer
from aforesaid.surfaces.lazy_memory import LazyMemory

if TYPE_CHECKING:
    from aforesaid.memory import Memory

Params = Mapping[str, Any]


class Daemon:
    """Serves an open memory line by line, with the settings of the first client. Incompatible clients are refused.

    After a call of `mcp` the line speaks that protocol.
    """

    def __init__(
        self, store: Path, paths: rpc.DaemonPaths, idle_seconds: float, log: Callable[[str], None] = lambda line: None
    ) -> None:
        self.store, self._log = store, log
        self.settings = Settings()
        self.memory = LazyMemory(store, self._open)
        self.server = DaemonServer(paths, self._serve, idle_seconds, log)
        self._began = time.time()
        self._code = code_stamp()  # of the code that runs here, even if another version is installed later
        self._guard = threading.Lock()
        self._identity: ClientIdentity | None = None
        self._methods: dict[str, Callable[[Params], Any]] = {
            "hook": self._hook,
            "mcp": self._attach,
            "status": self._status,
            "retire": lambda params: self._leave(stop=False),
            "stop": lambda params: self._leave(stop=True),
        }

    def accept(self, client: ClientIdentity) -> None:
        """Accept a client, or raise RpcError."""
        with self._guard:
            if self._identity is None and client.code == self._code:
                self.settings = Settings().changed(client.settings, "client")
                self._identity = client
            if self._identity is None or not self._identity.can_serve(client):
                text = "This daemon has other code, settings or services."
                raise rpc.RpcError(rpc.INCOMPATIBLE, text, "Ask it to retire, and start another.")

    def _open(self) -> Memory:
        from aforesaid.memory import Memory

        private_folder(self.store.parent)
        return Memory.open(self.store, settings=self.settings, reload=Settings.load)

    def _serve(self, line: rpc.LineConnection) -> None:
        """Serve one client until it closes the line."""
        while True:
            try:
                request = line.read()
            except rpc.RpcError as error:
                line.send({"id": None, "error": error_json(error)})
                return
            if request is None:
                return
            method, params = request.get("method"), request.get("params") or {}
            try:
                answer = {"result": self._answer(method, params)}
            except Exception as error:  # noqa: BLE001 - every failure becomes an answer
                answer = {"error": error_json(error)}
                if not isinstance(error, AforesaidError):
                    self._log(f"{method!s:.40} failed: {describe_error(error)}")
            if "id" in request:  # a request without an id gets no answer
                line.send({"id": request["id"], **answer})
            if method == "mcp" and "result" in answer:
                self._serve_mcp(line, params)
                return

    def _answer(self, method: Any, params: Any) -> Any:
        found = self._methods.get(method) if isinstance(method, str) else None
        if found is None:
            raise rpc.RpcError(rpc.NO_METHOD, f"There is no method {method!s:.40}.", f"Use {', '.join(self._methods)}.")
        if not isinstance(params, dict):
            raise rpc.RpcError(rpc.BAD_PARAMS, "params is not an object.")
        return found(params)

    def _status(self, params: Params) -> dict[str, Any]:
        used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return {
            "pid": os.getpid(),
            "version": aforesaid.__version__,
            "store": str(self.store),
            "clients": self.server.clients - 1,  # without the one that asks
            "up_seconds": round(time.time() - self._began, 1),
            "peak_bytes": used if sys.platform == "darwin" else used * 1024,
        }

    def _leave(self, *, stop: bool) -> dict[str, Any]:
        self.server.leave(stop=stop)
        return {"pid": os.getpid()}

    def _hook(self, params: Params) -> dict[str, Any]:
        self.accept(ClientIdentity(**params["identity"]))
        from aforesaid.hosts.events import has_model, open_for_hook, respond
        from aforesaid.hosts.hook import HookOptions

        who = (params["tenant"], params["purpose"], params["request"])

        def opener(settings: Settings, make: bool) -> AbstractContextManager[Memory | None]:
            if not has_model(settings):  # our own memory would download the weights, and no host waits for that
                return open_for_hook(self.store, settings, make, *who)
            if not make and not self.store.exists():
                return nullcontext()
            tenant, purpose, request = who
            return nullcontext(self.memory().for_tenant(tenant).acting(purpose, request=request))

        options = HookOptions(**params["options"])
        try:
            answer, about, outcome = respond(params["event"], self.settings, opener, options)
        except AforesaidError as error:  # goes into the log of the hook, so it contains no text of users
            answer, about, outcome = {}, "an event", f"failed: {describe_error(error)}"
        return {"answer": answer, "about": about, "outcome": outcome}

    def _attach(self, params: Params) -> dict[str, Any]:
        self.accept(ClientIdentity(**params["identity"]))
        self.memory.begin()  # while the SDK is imported
        return {"pid": os.getpid()}

    def _serve_mcp(self, line: rpc.LineConnection, params: Params) -> None:
        from aforesaid.surfaces.mcp.caller import Caller
        from aforesaid.surfaces.mcp.server import MemoryAccess, build, serve_lines

        names = {name: params[name] for name in ("tenant", "user", "project", "purpose")}
        access = MemoryAccess(self.memory, Caller(**names, grants=frozenset(params["grants"])), params["trusted"])
        serve_lines(build(access, params["profile"]), line.reader, line.link.makefile("wb"))


def error_json(error: Exception) -> dict[str, Any]:
    """An error in the form of JSON-RPC."""
    if isinstance(error, AforesaidError):
        code = error.code if isinstance(error, rpc.RpcError) else rpc.FAILED
        return {"code": code, "message": error.message, "data": {"remedy": error.remedy, "kind": type(error).__name__}}
    if isinstance(error, (KeyError, TypeError)):
        return {"code": rpc.BAD_PARAMS, "message": f"params cannot be used ({type(error).__name__})."}
    return {"code": rpc.INTERNAL, "message": f"It failed unexpectedly ({type(error).__name__}); see daemon.log."}
