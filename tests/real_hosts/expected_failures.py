"""Checks of the MCP conformance suite that fail against aforesaid, each under the reason why that is right.

A check is named by its scenario and its own id. The suite was written for a server with tools, prompts and resources
of its own (`test_…`); a memory has other ones.
"""

from __future__ import annotations

REASONS = {
    "it calls a tool of the suite's own server": (
        "json-schema-2020-12/json-schema-2020-12-tool-found",
        "server-sse-polling/incoming-sse-event",
        "server-stateless/sep-2575-missing-capability-http-400",
        "server-stateless/sep-2575-server-rejects-undeclared-capability",
        "tools-call-audio/tools-call-audio",
        "tools-call-embedded-resource/tools-call-embedded-resource",
        "tools-call-image/tools-call-image",
        "tools-call-mixed-content/tools-call-mixed-content",
        "tools-call-with-progress/tools-call-with-progress",
    ),
    "it reads a resource of the suite's own server": (
        "resources-read-binary/resources-read-binary",
        "resources-read-text/resources-read-text",
        "resources-templates-read/resources-templates-read",
    ),
    "it gets a prompt of the suite's own server": (
        "prompts-get-embedded-resource/prompts-get-embedded-resource",
        "prompts-get-simple/prompts-get-simple",
        "prompts-get-with-args/prompts-get-with-args",
        "prompts-get-with-image/prompts-get-with-image",
    ),
    "a memory asks its client for nothing: no input, no sampling, no roots": (
        "elicitation-sep1034-defaults/elicitation-sep1034-general",
        "elicitation-sep1330-enums/elicitation-sep1330-general",
        "input-required-result-basic-elicitation/sep-2322-elicitation-incomplete",
        "input-required-result-basic-list-roots/sep-2322-list-roots-incomplete",
        "input-required-result-basic-sampling/sep-2322-sampling-incomplete",
        "input-required-result-capability-check/sep-2322-respect-client-capabilities",
        "input-required-result-multi-round/sep-2322-multi-round-r1",
        "input-required-result-multiple-input-requests/sep-2322-multiple-inputs-incomplete",
        "input-required-result-non-tool-request/sep-2322-non-tool-incomplete",
        "input-required-result-request-state/sep-2322-request-state-incomplete",
        "input-required-result-result-type/sep-2322-result-type-included",
        "input-required-result-tampered-state/sep-2322-reject-tampered-state",
        "tools-call-elicitation/tools-call-elicitation",
        "tools-call-sampling/tools-call-sampling",
    ),
    "an optional capability that is not offered: the server does not declare it": (
        "completion-complete/completion-complete",
        "logging-set-level/logging-set-level",
        "resources-subscribe/resources-subscribe",
        "resources-unsubscribe/resources-unsubscribe",
        "tools-call-with-logging/tools-call-with-logging",
    ),
    "no tool takes a parameter from a header": (
        "http-custom-header-server-validation/sep-2243-server-decode-base64",
        "http-custom-header-server-validation/sep-2243-server-no-xmcp-tool",
        "http-custom-header-server-validation/sep-2243-server-reject-invalid-param-chars",
        "http-custom-header-server-validation/sep-2243-server-reject-param-mismatch",
        "http-custom-header-server-validation/sep-2243-server-validate-param-match",
    ),
}

EXPECTED = {check: reason for reason, checks in REASONS.items() for check in checks}
