"""Rules and their contradictions: what conflicts, what only looks like it, and what is no rule at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.documents.deontic import DeonticRule, conflicts, rules_of
from aforesaid.documents.nodes import parse
from support.growth import is_linear

CONFLICTING = (
    ("Always use tabs.", "Never use tabs."),
    ("Use tabs.", "Do not use tabs."),
    ("Use the tabs!", "DON'T USE TABS"),
    ("You must use tabs.", "You must not use tabs."),
    ("Prefer tabs.", "Avoid tabs."),
    ("Prefer tabs over spaces.", "Prefer spaces over tabs."),
    ("Use spaces, not tabs.", "Use tabs."),
    ("Use tabs instead of spaces.", "Always use spaces."),
    ("Tabs are forbidden.", "Use tabs."),
    ("No tabs.", "Tabs are mandatory."),
    ("You may use tabs.", "Never use tabs."),
    ("Tabs are allowed.", "Tabs are not allowed."),
    ("Commit secrets.", "Secrets must never be committed."),
    ("In Makefiles, use tabs.", "Do not use tabs in Makefiles."),
    ("Run the tests before committing.", "Never run tests before you commit."),
    ("When you rename a column, write a migration.", "Do not write migrations when you rename columns."),
    ("Push to main.", "Never push to main unless asked."),
    ("Always commit.", "Only commit when asked."),
    ("Run `git push --force`.", "Never run `git push --force`."),
    ("Do not forget to update the changelog.", "Never update the changelog."),
    ("Keep it short; always answer in English.", "Please don't answer in English."),
    ("Contributors must sign commits.", "Do not sign commits."),
    ("必ずタブを使うこと", "タブを使わないでください"),
    ("タブを使ってください。", "タブの使用は禁止です。"),
    ("タブを使うべきです。", "タブを使うべきではありません。"),
    ("タブは使わなければならない。", "タブを使ってはいけない。"),
    ("必ずテストを実行する。", "決してテストを実行しない。"),
    ("変更履歴の更新を忘れないでください。", "変更履歴を更新しないこと。"),
    ("コメントをつけること。", "コメントをつけるな。"),
    ("mainにプッシュしてください。", "mainへプッシュしないこと。"),
    ("Makefileではタブを使うこと。", "Makefileでタブを使用しないでください。"),
    ("タブを使ってもよい。", "タブ禁止"),
)
AGREEING = (
    ("Never push to main.", "Always push to a branch."),
    ("Use tabs in Makefiles.", "Do not use tabs in Python."),
    ("Use tabs.", "Do not use tabs in Python."),
    ("Always use tabs.", "Use tabs."),
    ("Never use tabs.", "Avoid tabs."),
    ("Run the tests before committing.", "Never run the tests after committing."),
    ("Always run the tests.", "Never skip the tests."),
    ("Merge staging into main.", "Never merge main into staging."),
    ("Use tabs.", "Never use spaces."),
    ("Use tabs, not spaces.", "Do not use spaces."),
    ("Write tests.", "Do not write comments."),
    ("Run `git commit`.", "Never run `git push`."),
    ("Use tabs.", "We never use tabs."),
    ("Use tabs.", "Should you never use tabs?"),
    ("Use tabs.", "The first handbook said: never use tabs."),
    ("Use tabs.", '"Never use tabs" was a joke.'),
    ("Use tabs.", "The parser never uses tabs."),
    ("Commit when asked.", "Do not commit before the tests pass."),
    ("Only commit when asked.", "Never commit secrets."),
    ("Push to main when asked.", "Never push to main unless asked."),
    ("Use tabs.", "Tabs were forbidden in the old repository."),
    ("Delete the branch after merging.", "Never delete the release branch."),
    ("必ずタブを使うこと。", "スペースを使わないでください。"),
    ("Makefileではタブを使うこと。", "Pythonではタブを使わないこと。"),
    ("ブランチにプッシュすること。", "mainにプッシュしないこと。"),
    ("mainからdevにマージすること。", "devからmainにマージしないこと。"),
    ("テストを書くこと。", "テストを消さないこと。"),
    ("タブを使うこと。", "タブを使うべきですか？"),
    ("タブを使うこと。", "先輩は「タブを使うな」と言っていた。"),
    ("英語で書くこと。", "日本語で書かないこと。"),
    ("タブを使うこと。", "タブを避けるべきではない。"),
)  # fmt: skip


def _found(*items: str) -> int:
    return len(conflicts(parse("".join(f"- {item}\n" for item in items)).nodes))


@pytest.mark.parametrize(("first", "second"), CONFLICTING)
def test_what_one_rule_wants_and_another_forbids_is_a_conflict(first: str, second: str) -> None:
    assert _found(first, second) > 0, (rules_of(first), rules_of(second))
    assert _found(second, first) > 0


@pytest.mark.parametrize(("first", "second"), AGREEING)
def test_another_object_condition_or_no_rule_is_none(first: str, second: str) -> None:
    assert _found(first, second) == 0, (rules_of(first), rules_of(second))
    assert _found(second, first) == 0


def test_a_rule_says_what_it_does_to_which_action_under_which_conditions() -> None:
    assert rules_of("In Makefiles, you must use the tabs.") == (
        DeonticRule("obliged", ("tab",), ("in makefil",), "In Makefiles, you must use the tabs."),
    )
    assert [rule.modality for rule in rules_of("Write tests and never skip review.")] == ["obliged", "forbidden"]
    assert rules_of("The cache is shared.") == ()


def test_a_conflict_names_both_nodes_and_both_sentences() -> None:
    nodes = parse("Always use tabs.\n\nLore about tabs.\n\n- Never use tabs.\n- Use tabs.\n").nodes
    first, second = conflicts(nodes)
    assert (first.first, first.second, first.action) == (0, 2, "tab")
    assert first.why == "obliged: “Always use tabs.”; forbidden: “Never use tabs.”"
    assert (second.first, second.second) == (2, 3), "the third rule stands against the first of its opposites"


@pytest.mark.parametrize(
    ("document", "count"),
    [
        ("# Guide\n## Python\n- Use tabs.\n## Makefiles\n- Never use tabs.\n", 0),
        ("# Guide\n## Style\n- Use tabs.\n## Rules\n- Never use tabs.\n", 1),
        ("# Guide\n- Use tabs.\n## Rules\n- Never use tabs.\n", 1),
        ("# Guide\n- Use tabs.\n## Python\n- Never use tabs.\n", 0),
        ("## Do\n- Use tabs.\n## Don't\n- Use tabs.\n", 1),
        ("## Do\n- Use tabs.\n## Don't\n- Use spaces.\n", 0),
        ("---\nrules:\n  - Use tabs.\n---\n- Never use tabs.\n", 1),
        ("- Use tabs.\n\n```\nNever use tabs.\n```\n", 0),
    ],
)
def test_headings_confine_rules_to_their_subject(document: str, count: int) -> None:
    assert len(conflicts(parse(document).nodes)) == count


@given(st.text(max_size=200))
def test_any_text_has_some_rules_or_none(text: str) -> None:
    rules_of(text)


@pytest.mark.parametrize(
    "part", ["Never ", "use tabs ", "in ", "a, ", "; ", "タブを", "ない", "` ", '"', "no x ", "must be "]
)
def test_hostile_text_takes_linear_time(part: str) -> None:
    assert is_linear(lambda chars: rules_of((part * chars)[:chars]), 5000, 40_000)


def test_many_rules_are_compared_in_linear_time() -> None:
    nodes = {count: parse("- Use tabs.\n- Never use tabs.\n" * count).nodes for count in (100, 800)}
    assert len(conflicts(nodes[800])) == 1599
    assert is_linear(lambda count: conflicts(nodes[count]), 100, 800)
