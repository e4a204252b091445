"""What a daemon answers: `hook` and `mcp` for hosts, `status`, `retire` and `stop` for whoever looks after it."""

from __future__ import annotations

import os
import resource
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

import aforesaid
from aforesaid.errors import AforesaidError
from aforesaid.hosts.log import told
from aforesaid.settings import Settings
from aforesaid.surfaces.daemon.identity import Likeness
from aforesaid.surfaces.daemon.json_rpc import BAD_PARAMS, FAILED, INTERNAL, NO_METHOD, LineConnection, RpcError
from aforesaid.surfaces.daemon.server import Service
from aforesaid.surfaces.daemon.warm_memory import Room

if TYPE_CHECKING:
    from aforesaid.memory import Memory

Params = Mapping[str, Any]


class Dispatcher:
    """Answers clients line by line; one that asks for `mcp` speaks that protocol from then on."""

    def __init__(self, room: Room, note: Callable[[str], None] = lambda line: None) -> None:
        self._room, self._note = room, note
        self._began = time.time()
        self.service: Service | None = None  # which calls us
        self._methods: dict[str, Callable[[Params], Any]] = {
            "hook": self._hook,
            "mcp": self._attached,
            "status": self._status,
            "retire": lambda params: self._leave(stop=False),
            "stop": lambda params: self._leave(stop=True),
        }

    def __call__(self, line: LineConnection) -> None:
        """Talk with one client until it hangs up."""
        while True:
            try:
                request = line.read()
            except RpcError as error:
                line.send({"id": None, "error": shown(error)})
                return
            if request is None:
                return
            number, method, params = request.get("id"), request.get("method"), request.get("params") or {}
            try:
                answer = {"result": self._answered(method, params)}
            except Exception as error:  # noqa: BLE001 - whatever goes wrong is an answer
                answer = {"error": shown(error)}
                if not isinstance(error, AforesaidError):
                    self._note(f"{method!s:.40} failed: {told(error)}")
            if "id" in request:  # without one, nobody waits for an answer
                line.send({"id": number, **answer})
            if method == "mcp" and "result" in answer:
                self._mcp(line, params)
                return

    def _answered(self, method: Any, params: Any) -> Any:
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
            "store": str(self._room.store),
            "clients": self.service.clients - 1 if self.service else 0,  # but for the one who asks
            "up_seconds": round(time.time() - self._began, 1),
            "peak_bytes": used if sys.platform == "darwin" else used * 1024,
        }

    def _leave(self, *, stop: bool) -> dict[str, Any]:
        if self.service is not None:
            self.service.leave(stop=stop)
        return {"pid": os.getpid()}

    def _hook(self, params: Params) -> dict[str, Any]:
        self._room.enter(_like(params))
        from aforesaid.hosts.events import respond
        from aforesaid.hosts.hook import HookOptions

        def opener(settings: Settings, make: bool) -> AbstractContextManager[Memory | None]:
            return self._opened(settings, make, params)

        wish = HookOptions(**params["wish"])
        try:
            answer, about, outcome = respond(params["event"], self._room.settings, opener, wish)
        except AforesaidError as error:  # told without anybody's words, for the hook's log
            answer, about, outcome = {}, "an event", f"failed: {told(error)}"
        return {"answer": answer, "about": about, "outcome": outcome}

    def _opened(self, settings: Settings, make: bool, params: Params) -> AbstractContextManager[Memory | None]:
        from aforesaid.hosts.open_memory import has_model, opened

        if not has_model(settings):  # ours would fetch the weights, and no host waits for a download
            return opened(self._room.store, settings, make, params["tenant"], params["purpose"], params["request"])
        if not make and not self._room.store.exists():
            return nullcontext()
        memory = self._room.memory().for_tenant(params["tenant"])
        return nullcontext(memory.acting(params["purpose"], request=params["request"]))

    def _attached(self, params: Params) -> dict[str, Any]:
        self._room.enter(_like(params))
        self._room.memory.begin()  # while the SDK is imported
        return {"pid": os.getpid()}

    def _mcp(self, line: LineConnection, params: Params) -> None:
        from aforesaid.surfaces.mcp import sdk
        from aforesaid.surfaces.mcp.caller import Caller
        from aforesaid.surfaces.mcp.server import Desk, build

        names = {name: params[name] for name in ("tenant", "user", "project", "purpose")}
        desk = Desk(self._room.memory, Caller(**names, grants=frozenset(params["grants"])), params["trusted"])
        sdk.serve_lines(build(desk, params["profile"]), line.reader, line.link.makefile("wb"))


def _like(params: Params) -> Likeness:
    try:
        return Likeness.parse(params["likeness"])
    except (KeyError, TypeError, ValueError):
        raise RpcError(BAD_PARAMS, "likeness is missing.", "Say with which code and settings you ask.") from None


def shown(error: Exception) -> dict[str, Any]:
    """An error as JSON-RPC has it."""
    if isinstance(error, RpcError):
        return {"code": error.code, "message": error.message, "data": {"remedy": error.remedy, "kind": error.kind}}
    if isinstance(error, AforesaidError):
        data = {"remedy": error.remedy, "kind": type(error).__name__}
        return {"code": FAILED, "message": error.message, "data": data}
    if isinstance(error, (KeyError, TypeError)):
        return {"code": BAD_PARAMS, "message": f"params cannot be used ({type(error).__name__})."}
    return {"code": INTERNAL, "message": f"It failed unexpectedly ({type(error).__name__}); daemon.log says where."}
