"""`memory.policy`: who may see what, and what may be stored."""

from __future__ import annotations

from pathlib import Path

from aforesaid._util.ordinary_files import check_ordinary
from aforesaid.errors import PolicyError
from aforesaid.governance import apply_policy as applying
from aforesaid.memory.handle import Handle
from aforesaid.memory.visibility import record_owner
from aforesaid.policy import repository
from aforesaid.policy.values import Policy
from aforesaid.types import Boundary, ClaimType, Kind, Progress, Record, Scope, check_class


class PolicyHandle(Handle):
    """The policy of one tenant: read, change, test."""

    def current(self) -> repository.AdoptedPolicy | None:
        """Return the active policy with its version and date, or None."""
        return repository.active_policy(self._engine.store, self._engine.tenant)

    def history(self) -> list[repository.AdoptedPolicy]:
        """List every policy that was ever active, newest first."""
        return repository.policy_history(self._engine.store, self._engine.tenant)

    def apply(
        self,
        policy: str | Path | Policy,
        *,
        expected: str | None = None,
        dry_run: bool = False,
        by: str = "",
        progress: Progress | None = None,
    ) -> applying.PolicyReport:
        """Make a policy active for new and stored records. Return what changes, and how many records it hides.

        Args:
            policy: YAML text, the path of a YAML file, or a `Policy`.
            expected: The version that you think is active. If another one is, nothing changes.

        Raises:
            PolicyError: The policy is not valid. The old one stays active.
            ConflictError: Another version than `expected` is active.
        """
        request, found = self._engine.request(), read_policy_from(policy)
        return applying.apply(request, found, expected=expected, dry_run=dry_run, by=by, progress=progress)

    def validate(
        self,
        text: str,
        *,
        user: str | None = None,
        project: str | None = None,
        scope: Scope | None = None,
        kind: Kind = "claim",
        type: ClaimType = "fact",
        boundary: Boundary = "internal",
    ) -> applying.PolicyValidation:
        """Return what the policy would do with a text: redactions, privacy class, broken invariants. Nothing is stored.

        Args:
            kind: The kind of record it would be, such as `claim` or `turn`.
        """
        owner = record_owner(user, project, scope)
        record = Record(
            "-", kind, text, self._engine.clock(), self._engine.tenant, owner.scope, owner.user, owner.project,
            boundary=check_class(boundary), claim_type=type, durable=kind == "claim",
        )  # fmt: skip
        return applying.validate(self._engine.request(), text, record)

    def revise(self, *, mend: bool = False, progress: Progress | None = None) -> applying.RevisionReport:
        """Check the stored records against the active policy. Return how many contain text to redact.

        Args:
            mend: Redact what the policy finds. Without it, nothing changes.
        """
        return self._engine.run(lambda request: applying.revise(request, mend=mend, progress=progress))


def read_policy_from(source: str | Path | Policy) -> Policy:
    """Read a policy from YAML text or from a file; return a `Policy` as it is."""
    if isinstance(source, Policy):
        return source
    from aforesaid.policy.document import read_policy

    if isinstance(source, str):
        return read_policy(source)
    check_ordinary(source, "Name a YAML file.")
    try:
        return read_policy(source.read_text(encoding="utf-8"), str(source))
    except (OSError, UnicodeDecodeError) as error:
        raise PolicyError(
            f"{source} cannot be read: {error}.", "Name a YAML file; the policy stays as it is."
        ) from None
