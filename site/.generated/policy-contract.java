@Test
void shouldKeepTheContract() {
  PolicyContract.of(() -> Policies.builder().victim(new SparePreempted(4)).build())
      .check()
      .verify();
}

