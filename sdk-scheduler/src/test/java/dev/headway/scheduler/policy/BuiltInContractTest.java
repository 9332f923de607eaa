package dev.headway.scheduler.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.policy.Policies;
import dev.headway.api.policy.PolicySpec;
import dev.headway.testkit.policy.PolicyContract;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every built-in policy keeps the contract, and what it promises beyond it. */
class BuiltInContractTest {

  private static final PolicyLoader LOADER =
      new PolicyLoader(BuiltInContractTest.class.getClassLoader());

  static Stream<String> names() {
    return LOADER.descriptions().keySet().stream();
  }

  private static Policies make(String spec) {
    return LOADER.create(PolicySpec.parse(spec), PolicyContract.context(Map.of()));
  }

  @ParameterizedTest
  @MethodSource("names")
  void shouldKeepTheContract(String name) {
    PolicyContract.of(() -> make(name)).check().verify();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "fcfs",
        "shortest-job",
        "shortest-prefill",
        "hrrn",
        "vtc",
        "earliest-deadline(default-target-ms=300)",
        "least-slack(default-target-ms=300)"
      })
  void shouldNotStarveAnybody(String name) {
    PolicyContract.of(() -> make(name)).cases(3).starvationFree().check().verify();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"shortest-job(ageing=0)", "shortest-prefill(ageing=0)", "longest-prefix-match"})
  void shouldStarveWithoutAgeing(String spec) {
    final var given = PolicyContract.of(() -> make(spec)).cases(1).starvationFree();

    assertThat(given.check().violations())
        .containsExactly(
            "no starvation: an old request must be admitted at last: id=long, waitedNs=10000000000; seed=1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"no-evict", "no-evict+least-computed+hrrn", "no-evict+equal-progress"})
  void shouldNeverPreemptWithNoEvict(String spec) {
    PolicyContract.of(() -> make(spec)).cases(100).neverPreempts().check().verify();
  }

  @ParameterizedTest
  @ValueSource(strings = {"equal-progress", "equal-progress(newcomers=0)"})
  void shouldKeepChunksEven(String spec) {
    PolicyContract.of(() -> make(spec + "+no-evict")).evenChunks(16).check().verify();
  }

  @ParameterizedTest
  @ValueSource(strings = {"vtc(wp=1,wq=2)", "vtc(wp=1,wq=2)+no-evict"})
  void shouldKeepTenantsTogether(String spec) {
    PolicyContract.of(() -> make(spec)).cases(2).fairBetweenTenants(1, 2).check().verify();
  }
}
