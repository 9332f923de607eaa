package dev.headway.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.server.Access.PrefixSharing;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whose cached prefixes a request can find. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CacheSaltsTest {

  private static final byte[] ONE = "key one".getBytes(StandardCharsets.UTF_8);
  private static final byte[] OTHER = "key two".getBytes(StandardCharsets.UTF_8);

  @Test
  void shouldNarrowTheSaltOfAKeyAndNeverLeaveIt() {
    final CacheSalts salts = new CacheSalts(PrefixSharing.WITHIN_KEY);
    final String one = salts.of(ONE, "");

    assertThat(one).hasSize(64).isEqualTo(salts.of(ONE, ""));
    assertThat(
            List.of(
                one,
                salts.of(OTHER, ""),
                salts.of(ONE, "a"),
                salts.of(OTHER, "a"),
                salts.of(OTHER, one),
                salts.of(ONE, one)))
        .doesNotHaveDuplicates();
    assertThat(new CacheSalts(PrefixSharing.WITHIN_KEY).of(ONE, "")).isNotEqualTo(one);
  }

  @Test
  void shouldTakeTheSaltOfTheBodyWhereKeysShare() {
    assertThat(new CacheSalts(PrefixSharing.BETWEEN_KEYS).of(ONE, "a")).isEqualTo("a");
    assertThat(new CacheSalts(PrefixSharing.WITHIN_KEY).of(null, "")).isEmpty();
  }
}
