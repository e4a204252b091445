"""The policy in force: seen, changed, asked, and applied to what is there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from aforesaid._util.lazy import Lazy
from aforesaid.errors import PolicyError
from aforesaid.memory.base import Base, as_name
from aforesaid.policy import Policy
from aforesaid.policy import repository as policies
from aforesaid.types import Boundary, ClaimType, Kind, Record, Scope, check_class

if TYPE_CHECKING:
    from aforesaid.governance import apply_policy as govern
else:
    govern = Lazy("aforesaid.governance.apply_policy")


class Policies(Base):
    """Who may see what, and what may be kept."""

    def policy(self) -> policies.Adopted | None:
        """The policy in force, or None when nobody gave one."""
        return policies.active_policy(self.store, self.tenant)

    def policy_history(self) -> list[policies.Adopted]:
        """Every policy that was in force, newest first."""
        return policies.policy_history(self.store, self.tenant)

    def apply_policy(
        self,
        policy: str | Path | Policy,
        *,
        expected: str | None = None,
        dry_run: bool = False,
        by: str = "",
        progress: govern.Progress | None = None,
    ) -> govern.PolicyReport:
        """Put a policy (YAML text, a file, or a Policy) in force; a bad one is refused and the old one stays.

        `expected` guards against somebody else's change in between; a dry run tells what would change, and how many
        records the policy would withhold or find unclean.
        """
        return govern.apply(
            self._engine.request(), read_any(policy), expected=expected, dry_run=dry_run, by=by, progress=progress
        )

    def validate(
        self,
        text: str,
        *,
        user: str | None = None,
        project: str | None = None,
        scope: Scope = "user",
        kind: Kind = "claim",
        type: ClaimType = "fact",  # noqa: A002 - the word people use
        boundary: Boundary = "internal",
    ) -> govern.Validation:
        """What would become of a text: what is taken out, its class, the invariants it breaks; nothing is stored."""
        record = Record(
            "-", kind, text, self._engine.clock(), self.tenant, scope, as_name(user, "user"),
            as_name(project, "project"), boundary=check_class(boundary), claim_type=type, durable=kind == "claim",
        )  # fmt: skip
        return govern.validate(self._engine.request(), text, record)

    def revise(self, *, mend: bool = False, progress: govern.Progress | None = None) -> govern.Revision:
        """Look at stored records with the detectors of today's policy; with `mend`, take out what they find."""
        return self._engine.run(lambda request: govern.revise(request, mend=mend, progress=progress))


def read_any(policy: str | Path | Policy) -> Policy:
    """A policy from YAML text, a file, or itself."""
    if isinstance(policy, Policy):
        return policy
    from aforesaid.policy import read_policy

    if isinstance(policy, str):
        return read_policy(policy)
    try:
        return read_policy(policy.read_text(encoding="utf-8"), str(policy))
    except (OSError, UnicodeDecodeError) as error:
        raise PolicyError(
            f"{policy} cannot be read: {error}.", "Name a YAML file; the policy in force stays."
        ) from None
