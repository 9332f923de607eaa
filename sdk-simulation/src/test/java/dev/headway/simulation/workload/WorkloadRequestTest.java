package dev.headway.simulation.workload;

import static dev.headway.simulation.workload.TraceFixture.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class WorkloadRequestTest {
  @Test
  void shouldKeepItsBlocksToItself() {
    final int[] blocks = {1, 2};
    final WorkloadRequest given = request("a", 0, 20, 1, 16, blocks);

    blocks[0] = 9;
    given.prefixBlockIds()[1] = 9;

    assertThat(given.prefixBlockIds()).containsExactly(1, 2);
    assertThat(given.prefixTokens()).isEqualTo(20);
    assertThat(given)
        .isEqualTo(request("a", 0, 20, 1, 16, 1, 2))
        .hasToString(
            "WorkloadRequest[a at 0 ns, 20 in, 1 out, blocks=2 x 16, tenant=null, priority=0,"
                + " abortAfterNs=-1, adapter=null, ttftTargetNs=-1]");
    assertThat(given).isNotEqualTo(request("a", 0, 20, 1, 16, 1, 3));
  }

  @ParameterizedTest
  @EnumSource
  void shouldLoseAnExtraAndNothingElse(RequestExtra extra) {
    final WorkloadRequest plain = request("a", 5, 40, 9, 16, 1, 2, 3);
    final WorkloadRequest given =
        plain.withAbortAfterNs(7).withAdapter("sql").withTtftTargetNs(9).withLengths(40, 9);
    final Workload load = Workloads.without(new ListedLoad(List.of(plain, given)), Set.of(extra));

    final WorkloadRequest unchanged = load.next();
    final WorkloadRequest changed = load.next();

    assertThat(unchanged).isEqualTo(plain);
    assertThat(changed).isNotEqualTo(given).isEqualTo(extra.removedFrom(given));
    for (RequestExtra each : RequestExtra.values()) {
      assertThat(each.isOf(changed)).as("%s", each).isEqualTo(each != extra);
    }
    assertThat(load.adjustments().notes()).isEqualTo(Map.of(extra.remark(), 1L));
  }

  @Test
  void shouldDropBlocksBehindACut() {
    final WorkloadRequest given = request("a", 5, 40, 9, 16, 1, 2, 3);

    assertThat(given.withLengths(32, 8)).isEqualTo(request("a", 5, 32, 8, 16, 1, 2));
    assertThat(given.withLengths(33, 9)).isEqualTo(request("a", 5, 33, 9, 16, 1, 2, 3));
    assertThat(request("b", 5, 4, 9).withLengths(3, 9)).isEqualTo(request("b", 5, 3, 9));
  }

  @Test
  void shouldSayWhatMustHold() {
    shouldFail(
        () -> request(" ", 0, 1, 1),
        "requestId must not be blank nor longer than 256 characters: length=1");
    shouldFail(() -> request("a", -1, 1, 1), "arrivalNs must be >= 0: arrivalNs=-1");
    shouldFail(() -> request("a", 0, 0, 1), "inputTokens must be in [1, 16777216]: inputTokens=0");
    shouldFail(
        () -> request("a", 0, 1, 1 << 25),
        "outputTokens must be in [1, 16777216]: outputTokens=33554432");
    shouldFail(
        () -> request("a", 0, 1, 1, -1), "prefixBlockTokens must be >= 0: prefixBlockTokens=-1");
    shouldFail(
        () -> request("a", 0, 1, 1, 0, 7), "prefixBlockTokens must be >= 1: prefixBlockTokens=0");
    shouldFail(() -> request("a", 0, 1, 1, 16, -7), "prefix block ids must be >= 0: id=-7");
    shouldFail(
        () -> request("a", 0, 16, 1, 16, 7, 8),
        "every prefix block must start inside the prompt: inputTokens=16, prefixBlockTokens=16,"
            + " prefixBlocks=2");
    shouldFail(
        () -> new WorkloadRequest("a", 0, 1, 1, new int[0], 0, "", 0),
        "tenant must not be blank nor longer than 256 characters: length=0");
    shouldFail(
        () -> request("a", 0, 1, 1).withAdapter(""),
        "adapter must not be blank nor longer than 256 characters: length=0");
    shouldFail(
        () -> request("a", 0, 1, 1).withTtftTargetNs(0),
        "ttftTargetNs must be > 0, or -1: ttftTargetNs=0");
    shouldFail(
        () -> request("a", 0, 5, 1).withLengths(6, 1),
        "a prompt can only be cut: inputTokens=5, newInputTokens=6");
  }

  private static void shouldFail(ThrowingCallable call, String message) {
    assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
  }
}
