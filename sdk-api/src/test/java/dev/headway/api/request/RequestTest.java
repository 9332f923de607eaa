package dev.headway.api.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class RequestTest {

  @Test
  void shouldHaveDefaultsForEverythingButThePromptAndTheEnd() {
    final Request request = Request.builder("a", 3, 9, 4).maxTokens(5).build();

    assertThat(request.id()).isEqualTo("a");
    assertThat(request.promptTokens()).isEqualTo(3);
    assertThat(request.promptTokenId(1)).isEqualTo(9);
    assertThat(request.largestPromptTokenId()).isEqualTo(9);
    assertThat(request.stopRule().maxTokens()).isEqualTo(5);
    assertThat(request.sampling()).isEqualTo(SamplingParams.GREEDY);
    assertThat(request.priority()).isZero();
    assertThat(request.tenant()).isNull();
    assertThat(request.cacheSalt()).isNull();
    assertThat(request.prefixReuse()).isEqualTo(PrefixReuse.ALLOWED);
    assertThat(request.timeout()).isNull();
    assertThat(request.lora()).isNull();
    assertThat(request.ttftTarget()).isNull();
    assertThat(request.traceParent()).isNull();
    assertThat(request.kvReport()).isEqualTo(KvReport.INCREMENTAL);
    assertThat(request.kvTransferParams()).isEmpty();
  }

  @Test
  void shouldKeepWhatWasSet() {
    final SamplingParams sampling = SamplingParams.builder().temperature(0.7f).build();
    final LoraAdapter lora = new LoraAdapter(1, "l");

    final Request request =
        Request.builder("a", 1)
            .maxTokens(5)
            .sampling(sampling)
            .priority(-3)
            .tenant("t")
            .cacheSalt("s")
            .prefixReuse(PrefixReuse.SKIPPED)
            .timeout(Duration.ofMillis(1))
            .lora(lora)
            .ttftTarget(Duration.ofMillis(2))
            .traceParent("00-1-2-01")
            .kvReport(KvReport.FULL)
            .kvTransferParams(Map.of("remote_port", "1"))
            .build();

    assertThat(request.sampling()).isSameAs(sampling);
    assertThat(request.priority()).isEqualTo(-3);
    assertThat(request.tenant()).isEqualTo("t");
    assertThat(request.cacheSalt()).isEqualTo("s");
    assertThat(request.prefixReuse()).isEqualTo(PrefixReuse.SKIPPED);
    assertThat(request.timeout()).isEqualTo(Duration.ofMillis(1));
    assertThat(request.lora()).isSameAs(lora);
    assertThat(request.ttftTarget()).isEqualTo(Duration.ofMillis(2));
    assertThat(request.traceParent()).isEqualTo("00-1-2-01");
    assertThat(request.kvReport()).isEqualTo(KvReport.FULL);
    assertThat(request.kvTransferParams()).containsExactly(Map.entry("remote_port", "1"));
    final SessionInput input = SessionInput.of(request.stopRule(), 1);
    assertThat(request.nextTurn(new int[] {1}, input).kvTransferParams())
        .isEqualTo(request.kvTransferParams());
  }

  @Test
  void shouldRefuseNamesTooLongForRecordsAndLogLines() {
    final String longest = "n".repeat(Request.MAX_NAME_CHARS);
    final String longer = "n".repeat(10_000_000);
    final Request.Builder request = Request.builder(longest, 1).tenant(longest);

    assertThat(request.traceParent(longest).lora(new LoraAdapter(1, longest)).maxTokens(1).build())
        .extracting(Request::tenant)
        .isEqualTo(longest);
    for (ThrowingCallable refused :
        List.<ThrowingCallable>of(
            () -> Request.builder(longer, 1),
            () -> request.tenant(longer),
            () -> request.traceParent(longer),
            () -> new LoraAdapter(1, longer))) {
      assertThatThrownBy(refused)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageMatching(
              "(request id|tenant|traceParent|adapter name) must be at most 256 characters: "
                  + "length=10000000, begins with 'n{32}'");
    }
  }

  @Test
  void shouldCopyThePrompt() {
    final int[] prompt = {1, 2, 3};
    final Request request = Request.builder("a", prompt).maxTokens(1).build();
    final int[] target = new int[4];
    prompt[0] = 99;

    request.copyPromptTokenIds(0, target, 1, 3);

    assertThat(target).containsExactly(0, 1, 2, 3);
  }

  @Test
  void shouldTakeAnEmptySaltForNone() {
    assertThat(Request.builder("a", 1).maxTokens(1).cacheSalt("").build().cacheSalt()).isNull();
  }

  @Test
  void shouldPrintNoTokens() {
    assertThat(Request.builder("a", 1, 2).maxTokens(1).build())
        .hasToString(
            "Request[id=a, promptTokens=2, StopRule[maxTokens=1, minTokens=0,"
                + " eosTokenId=OptionalInt.empty, eosIgnored=false, stopTokenIds=[]]]");
  }

  @Test
  void shouldRefuseABlankId() {
    assertThatThrownBy(() -> Request.builder(" ", 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("request id must not be blank: id=' '");
    assertThatThrownBy(() -> Request.builder("", 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("request id must not be blank: id=''");
  }

  @Test
  void shouldRefuseAnEmptyPrompt() {
    assertThatThrownBy(() -> Request.builder("a"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("prompt must have at least one token: id=a, promptTokens=0");
  }

  @Test
  void shouldRefuseANegativeTokenAndSayWhere() {
    assertThatThrownBy(() -> Request.builder("a", 5, 6, -7, 8))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("prompt token ids must be >= 0: id=a, position=2, tokenId=-7");
  }

  @Test
  void shouldRequireAnEnd() {
    assertThatThrownBy(Request.builder("a", 1)::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("stopRule must be set, so that the request ends: id=a; call maxTokens(n)");
  }

  @Test
  void shouldRefuseATimeoutThatIsNotPositive() {
    assertThatThrownBy(() -> Request.builder("a", 1).timeout(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("timeout must be > 0: id=a, timeout=PT0S");
    assertThatThrownBy(() -> Request.builder("a", 1).timeout(Duration.ofNanos(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("timeout must be > 0: id=a, timeout=PT-0.000000001S");
  }

  @Test
  void shouldRefuseATargetThatIsNotPositive() {
    assertRefused(
        () -> Request.builder("a", 1).ttftTarget(Duration.ZERO),
        "ttftTarget must be > 0: id=a, ttftTarget=PT0S");
    assertRefused(
        () -> Request.builder("a", 1).ttftTarget(Duration.ofNanos(-1)),
        "ttftTarget must be > 0: id=a, ttftTarget=PT-0.000000001S");
  }

  private static void assertRefused(ThrowingCallable call, String message) {
    assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
  }
}
