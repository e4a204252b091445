"""Real programs that use recollect, and the tests with them. A package, so that its conftest is not taken for the suite's."""
