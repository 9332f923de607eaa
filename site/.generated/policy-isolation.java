@Test
void shouldGoOnWithTheDefaultWhenThePolicyThrows() {
  final VictimPolicy broken =
      (needy, neededBlocks, step) -> {
        throw new IllegalStateException("not today");
      };

  runSixRequests(engine().policies(Policies.builder().victim(broken).build()));

  assertThat(preemptions.byId).isEqualTo(UNEVEN); // as without it
}
