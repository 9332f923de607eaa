package dev.headway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;

/** Who gets memory for a body. */
class BodyBudgetTest {

  private static final int FREE = BodyBudget.FREE_BYTES;

  @Test
  void shouldGiveOneAddressHalf() throws IOException {
    final BodyBudget budget = new BodyBudget(1_000);
    final InetAddress greedy = InetAddress.getByName("10.0.0.1");
    final BodyBudget.Claim first = budget.claim(greedy);
    final BodyBudget.Claim second = budget.claim(greedy);
    final BodyBudget.Claim other = budget.claim(InetAddress.getByName("10.0.0.2"));

    first.add(FREE + 400);
    assertThatThrownBy(() -> second.add(FREE + 101)).satisfies(e -> assertStatus(e, 503));
    other.add(FREE + 500);

    assertThat(budget.held()).isEqualTo(900);
    first.close();
    second.add(500);
    assertThat(budget.held()).isEqualTo(1_000);
    second.close();
    second.close();
    other.close();
    assertThat(budget.held()).isZero();
  }

  @Test
  void shouldTakeSmallBodiesWhateverOthersHold() throws IOException {
    final BodyBudget budget = new BodyBudget(1_000);
    final InetAddress address = InetAddress.getByName("10.0.0.1");
    budget.claim(address).add(FREE + 500);
    budget.claim(InetAddress.getByName("10.0.0.2")).add(FREE + 500);

    budget.claim(address).add(FREE);

    assertThat(budget.held()).isEqualTo(1_000);
  }

  @Test
  void shouldRefuseForGoodWhatWillNeverFit() throws IOException {
    final BodyBudget budget = new BodyBudget(1_000);
    final BodyBudget.Claim claim = budget.claim(InetAddress.getByName("10.0.0.1"));

    claim.add(FREE + 400);

    assertThatThrownBy(() -> claim.add(101)).satisfies(e -> assertStatus(e, 413));
  }

  private static void assertStatus(Throwable failure, int status) {
    assertThat(failure)
        .isInstanceOfSatisfying(HttpFailure.class, e -> assertThat(e.status()).isEqualTo(status));
  }
}
