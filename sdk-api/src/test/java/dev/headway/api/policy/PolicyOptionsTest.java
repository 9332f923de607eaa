package dev.headway.api.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Options of a policy as they were written. */
class PolicyOptionsTest {

  private enum Way {
    FORTH,
    BACK_AGAIN
  }

  private static PolicyOptions given(String... pairs) {
    final Map<String, String> options = new HashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      options.put(pairs[i], pairs[i + 1]);
    }
    return PolicyOptions.of("mine", options);
  }

  @Test
  void shouldNameTheOptionThatAMisspeltOneWasMeantToBe() {
    final PolicyOptions options = PolicyOptions.of("mine", Map.of("ageign", "1"));
    options.integer("ageing", 0, 0, 9);
    options.integer("window", 0, 0, 9);

    assertThatThrownBy(options::requireNoOthers)
        .hasMessage(
            "policy 'mine' has no such options: given=[ageign], known=[ageing, window];"
                + " the nearest: ageing");
  }

  @Test
  void shouldReadWhatIsGivenAndElseTheFallback() {
    final PolicyOptions options =
        given(
            "a", "7", "b", "-9000000000", "c", "0.25", "way", "back-again", "w.x", "2", "w.", "1");

    assertThat(options.integer("a", 3, 0, 10)).isEqualTo(7);
    assertThat(options.integer("absent", 3, 0, 10)).isEqualTo(3);
    assertThat(options.whole("b", 1, Long.MIN_VALUE, 0)).isEqualTo(-9_000_000_000L);
    assertThat(options.whole("absent", 1, Long.MIN_VALUE, 0)).isEqualTo(1);
    assertThat(options.number("c", 1, 0, 1)).isEqualTo(0.25);
    assertThat(options.number("absent", 0.5, 0, 1)).isEqualTo(0.5);
    assertThat(options.choice("way", Way.FORTH, Way.class)).isEqualTo(Way.BACK_AGAIN);
    assertThat(options.choice("absent", Way.FORTH, Way.class)).isEqualTo(Way.FORTH);
    assertThat(options.numbers("w.", 0, 2)).isEqualTo(Map.of("x", 2.0));
    assertThat(options.has("a")).isTrue();
    assertThat(options.has("absent")).isFalse();
  }

  @Test
  void shouldTakeTheEndsOfARange() {
    final PolicyOptions options = given("low", "-2", "high", "5");

    assertThat(options.integer("low", 0, -2, 5)).isEqualTo(-2);
    assertThat(options.integer("high", 0, -2, 5)).isEqualTo(5);
    assertThat(options.number("low", 0, -2, 5)).isEqualTo(-2);
    assertThat(options.number("high", 0, -2, 5)).isEqualTo(5);
  }

  @Test
  void shouldSayWhatAnOptionMustBe() {
    final PolicyOptions options = given("a", "7", "b", "seven", "c", "NaN", "way", "FORTH");

    refuses(() -> options.integer("a", 0, 0, 6), "a", "be in [0, 6]", "7");
    refuses(() -> options.integer("a", 0, 8, 9), "a", "be in [8, 9]", "7");
    refuses(() -> options.integer("b", 0, 0, 6), "b", "be a whole number", "seven");
    refuses(() -> options.number("a", 0, 0, 6.5), "a", "be in [0.0, 6.5]", "7");
    refuses(() -> options.number("a", 0, 7.5, 9), "a", "be in [7.5, 9.0]", "7");
    refuses(() -> options.number("b", 0, 0, 6), "b", "be a number", "seven");
    refuses(() -> options.number("c", 0, 0, 6), "c", "be in [0.0, 6.0]", "NaN");
    refuses(
        () -> options.choice("way", Way.FORTH, Way.class),
        "way",
        "be one of [back-again, forth]",
        "FORTH");
    refuses(() -> given("w.x", "3").numbers("w.", 0, 2), "w.x", "be in [0.0, 2.0]", "3");
  }

  private static void refuses(ThrowingCallable read, String option, String must, String value) {
    assertThatThrownBy(read)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "option " + option + " of policy 'mine' must " + must + ": " + option + "=" + value);
  }

  @Test
  void shouldRefuseOptionsThatWereNotRead() {
    final PolicyOptions options =
        given("a", "1", "b", "1", "c", "1", "d", "forth", "e", "1", "w.x", "1", "typo", "1");
    options.integer("a", 0, 0, 1);
    options.number("b", 0, 0, 1);
    options.has("c");
    options.choice("d", Way.FORTH, Way.class);
    options.whole("e", 0, 0, 1);
    options.numbers("w.", 0, 1);

    assertThatThrownBy(options::requireNoOthers)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "policy 'mine' has no such options: given=[typo], known=[a, b, c, d, e, w.<name>, w.x]");
    options.has("typo");
    options.requireNoOthers();
  }
}
