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
from aforesaid.errors import AforesaidError
from aforesaid.hosts.log import describe_error
from aforesaid.settings import Settings
from aforesaid.surfaces.daemon.identity import ClientIdentity, code_stamp
from aforesaid.surfaces.daemon.json_rpc import (
    BAD_PARAMS,
    FAILED,
    INCOMPATIBLE,
    INTERNAL,
    NO_METHOD,
    LineConnection,
    RpcError,
)
from aforesaid.surfaces.daemon.server import DaemonServer
from aforesaid.surfaces.lazy_memory import LazyMemory

if TYPE_CHECKING:
    from aforesaid.memory import Memory

Params = Mapping[str, Any]


class WarmMemory:
    """The open memory of a store, with the settings of the first client. Incompatible clients are refused."""

    def __init__(self, store: Path) -> None:
        self.store = store
        self._code = code_stamp()  # of the code that runs here, even if another version is installed later
        self._guard = threading.Lock()
        self._identity: ClientIdentity | None = None
        self.settings = Settings()
        self.memory = LazyMemory(store, self._open)

    def accept(self, client: ClientIdentity) -> None:
        """Accept a client, or raise RpcError."""
        with self._guard:
            if self._identity is None and client.code == self._code:
                self.settings = Settings().changed(client.settings, "client")
                self._identity = client
            if self._identity is None or not self._identity.can_serve(client):
                text = "This daemon has other code, settings or services."
                raise RpcError(INCOMPATIBLE, text, "Ask it to retire, and start another.")

    def _open(self) -> Memory:
        from aforesaid.memory import Memory

        self.store.parent.mkdir(parents=True, exist_ok=True)
        return Memory.open(self.store, settings=self.settings)


class Dispatcher:
    """Answers clients line by line. After a call of `mcp` the line speaks that protocol."""

    def __init__(self, warm: WarmMemory, log: Callable[[str], None] = lambda line: None) -> None:
        self._warm, self._log = warm, log
        self._began = time.time()
        self.server: DaemonServer | None = None  # set by the caller, because each needs the other
        self._methods: dict[str, Callable[[Params], Any]] = {
            "hook": self._hook,
            "mcp": self._attach,
            "status": self._status,
            "retire": lambda params: self._leave(stop=False),
            "stop": lambda params: self._leave(stop=True),
        }

    def __call__(self, line: LineConnection) -> None:
        """Serve one client until it closes the line."""
        while True:
            try:
                request = line.read()
            except RpcError as error:
                line.send({"id": None, "error": error_json(error)})
                return
            if request is None:
                return
            number, method, params = request.get("id"), request.get("method"), request.get("params") or {}
            try:
                answer = {"result": self._answer(method, params)}
            except Exception as error:  # noqa: BLE001 - every failure becomes an answer
                answer = {"error": error_json(error)}
                if not isinstance(error, AforesaidError):
                    self._log(f"{method!s:.40} failed: {describe_error(error)}")
            if "id" in request:  # a request without an id gets no answer
                line.send({"id": number, **answer})
            if method == "mcp" and "result" in answer:
                self._serve_mcp(line, params)
                return

    def _answer(self, method: Any, params: Any) -> Any:
        found = self._methods.get(method) if isinstance(method, str) else None
        if found is None:
            raise RpcError(NO_METHOD, f"There is no method {method!s:.40}.", f"Use {', '.join(self._methods)}.")
        if not isinstance(params, dict):
            raise RpcError(BAD_PARAMS, "params is not an object.")
        return found(params)

    def _status(self, params: Params) -> dict[str, Any]:
        used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return {
            "pid": os.getpid(),
            "version": aforesaid.__version__,
            "store": str(self._warm.store),
            "clients": self.server.clients - 1 if self.server else 0,  # without the one that asks
            "up_seconds": round(time.time() - self._began, 1),
            "peak_bytes": used if sys.platform == "darwin" else used * 1024,
        }

    def _leave(self, *, stop: bool) -> dict[str, Any]:
        if self.server is not None:
            self.server.leave(stop=stop)
        return {"pid": os.getpid()}

    def _hook(self, params: Params) -> dict[str, Any]:
        self._warm.accept(_identity(params))
        from aforesaid.hosts.events import respond
        from aforesaid.hosts.hook import HookOptions

        def opener(settings: Settings, make: bool) -> AbstractContextManager[Memory | None]:
            return self._opened(settings, make, params)

        options = HookOptions(**params["options"])
        try:
            answer, about, outcome = respond(params["event"], self._warm.settings, opener, options)
        except AforesaidError as error:  # goes into the log of the hook, so it contains no text of users
            answer, about, outcome = {}, "an event", f"failed: {describe_error(error)}"
        return {"answer": answer, "about": about, "outcome": outcome}

    def _opened(self, settings: Settings, make: bool, params: Params) -> AbstractContextManager[Memory | None]:
        from aforesaid.hosts.open_memory import has_model, open_for_hook

        if not has_model(settings):  # our own memory would download the weights, and no host waits for that
            return open_for_hook(
                self._warm.store, settings, make, params["tenant"], params["purpose"], params["request"]
            )
        if not make and not self._warm.store.exists():
            return nullcontext()
        memory = self._warm.memory().for_tenant(params["tenant"])
        return nullcontext(memory.acting(params["purpose"], request=params["request"]))

    def _attach(self, params: Params) -> dict[str, Any]:
        self._warm.accept(_identity(params))
        self._warm.memory.begin()  # while the SDK is imported
        return {"pid": os.getpid()}

    def _serve_mcp(self, line: LineConnection, params: Params) -> None:
        from aforesaid.surfaces.mcp import sdk
        from aforesaid.surfaces.mcp.caller import Caller
        from aforesaid.surfaces.mcp.server import Desk, build

        names = {name: params[name] for name in ("tenant", "user", "project", "purpose")}
        desk = Desk(self._warm.memory, Caller(**names, grants=frozenset(params["grants"])), params["trusted"])
        sdk.serve_lines(build(desk, params["profile"]), line.reader, line.link.makefile("wb"))


def _identity(params: Params) -> ClientIdentity:
    try:
        return ClientIdentity.parse(params["identity"])
    except (KeyError, TypeError, ValueError):
        raise RpcError(BAD_PARAMS, "identity is missing.", "Send your code, settings and environment.") from None


def error_json(error: Exception) -> dict[str, Any]:
    """An error in the form of JSON-RPC."""
    if isinstance(error, RpcError):
        return {"code": error.code, "message": error.message, "data": {"remedy": error.remedy, "kind": error.kind}}
    if isinstance(error, AforesaidError):
        data = {"remedy": error.remedy, "kind": type(error).__name__}
        return {"code": FAILED, "message": error.message, "data": data}
    if isinstance(error, (KeyError, TypeError)):
        return {"code": BAD_PARAMS, "message": f"params cannot be used ({type(error).__name__})."}
    return {"code": INTERNAL, "message": f"It failed unexpectedly ({type(error).__name__}); see daemon.log."}
