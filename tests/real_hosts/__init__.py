"""Real programs that use aforesaid, and the tests with them. A package, so that its conftest is not taken for the suite's."""
