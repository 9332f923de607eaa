package dev.headway.api.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.kvcache.BlockCounts;
import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestStatus;
import dev.headway.api.request.StopRule;
import dev.headway.api.step.EntryKind;
import org.junit.jupiter.api.Test;

/** A request with setters, and entries of a plan for it. */
class SimpleRequestTest {

  private static final int MANY = 40; // more than the arrays hold at first

  private final SimpleRequest request =
      new SimpleRequest(
          Request.builder("r", 7, 8, 9)
              .stopRule(StopRule.maxTokens(4).withMinTokens(2).withEosTokenId(2))
              .build(),
          5,
          10,
          12);

  @Test
  void shouldHaveWhatWasSet() {
    request.status(RequestStatus.RUNNING);
    request.computedTokens(3);
    request.cachedTokens(2);
    request.inFlightTokens(4);
    request.preemptions(6);

    assertThat(request.number()).isEqualTo(5);
    assertThat(request.arrivalNs()).isEqualTo(10);
    assertThat(request.queuedNs()).isEqualTo(12);
    assertThat(request.status()).isEqualTo(RequestStatus.RUNNING);
    assertThat(request.computedTokens()).isEqualTo(3);
    assertThat(request.cachedTokens()).isEqualTo(2);
    assertThat(request.inFlightTokens()).isEqualTo(4);
    assertThat(request.preemptions()).isEqualTo(6);
    assertThat(request).hasToString("r[known=3, computed=3]");
    assertThat(new SimpleRequest(request.request(), 0, 0, 0).status())
        .isEqualTo(RequestStatus.WAITING);
  }

  @Test
  void shouldKnowPromptAndOutputsByPosition() {
    for (int i = 0; i < MANY; i++) {
      request.append(100 + i);
    }
    final int[] copied = {-1, -1, -1, -1, -1};

    request.copyTokenIds(1, copied, 1, 3);

    assertThat(request.knownTokens()).isEqualTo(3 + MANY);
    assertThat(request.tokenId(0)).isEqualTo(7);
    assertThat(request.tokenId(2)).isEqualTo(9);
    assertThat(request.tokenId(3)).isEqualTo(100);
    assertThat(request.tokenId(2 + MANY)).isEqualTo(99 + MANY);
    assertThat(copied).containsExactly(-1, 8, 9, 100, -1);
  }

  @Test
  void shouldEndByItsRule() {
    request.append(2);
    assertThat(request.endWith(2, 100)).as("too early for an end").isNull();
    request.append(3);
    assertThat(request.endWith(2, 100)).isEqualTo(FinishReason.STOP);
    assertThat(request.endWith(3, 100)).isNull();
    assertThat(request.endWith(3, 6)).isNull();
    assertThat(request.endWith(3, 5)).as("the context is full").isEqualTo(FinishReason.LENGTH);
    request.append(3);
    request.append(3);
    assertThat(request.endWith(3, 100)).isEqualTo(FinishReason.LENGTH);
  }

  @Test
  void shouldCountTheBlocksOfAllGroups() {
    assertThat(request.kvBlocks()).isZero();
    assertThat(request.sharedPrefixTokens()).isZero();
    assertThatThrownBy(request::kv)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the request must have block tables: id=r");

    final KvSequence tables = new BlockCounts(32, 3, 4);
    request.kv(tables);

    assertThat(request.kv()).isSameAs(tables);
    assertThat(request.kvBlocks()).isEqualTo(7);
    assertThat(request.sharedPrefixTokens()).isEqualTo(32);
  }

  @Test
  void shouldBecomeAnEntryOfAPlan() {
    final SimplePlan plan = new SimplePlan();
    final KvSequence tables = new BlockCounts(32, 3, 4);
    plan.begin(8, 1_000);
    request.append(1);
    request.computedTokens(2);
    for (int i = 0; i < MANY; i++) {
      plan.add(request, i == 0 ? tables : null, EntryKind.RUNNING, 1 + i, 100 + i, 200 + i);
      plan.produced(i, 300 + i);
    }
    plan.end(1_500);

    assertThat(plan.stepId()).isEqualTo(8);
    assertThat(plan.beginNs()).isEqualTo(1_000);
    assertThat(plan.endNs()).isEqualTo(1_500);
    assertThat(plan.scheduleNs()).isEqualTo(500);
    assertThat(plan.size()).isEqualTo(MANY);
    assertThat(plan.totalTokens()).isEqualTo(MANY * (MANY + 1) / 2);
    for (int i = 0; i < MANY; i++) {
      assertThat(plan.request(i)).isSameAs(request);
      assertThat(plan.kind(i)).isEqualTo(EntryKind.RUNNING);
      assertThat(plan.scheduledTokens(i)).isEqualTo(1 + i);
      assertThat(plan.computedTokens(i)).isEqualTo(2);
      assertThat(plan.outputTokens(i)).isEqualTo(1);
      assertThat(plan.samples(i)).as("of 4 known tokens").isEqualTo(i >= 1);
      assertThat(plan.blocks().newFrom(i, 0)).isEqualTo(100 + i);
      assertThat(plan.previousStepId(i)).isEqualTo(200 + i);
      assertThat(plan.producedTokens(i)).isEqualTo(300 + i);
      assertThat(plan.blocks().count(i, 1)).isEqualTo(i == 0 ? 4 : 0);
    }
    assertThat(plan.blocks().of(0)).isSameAs(tables);
    assertThat(plan.blocks().groupCount()).isEqualTo(2);
    assertThat(plan.drafts().isEmpty()).isTrue();
    assertThat(plan.drafts().toPropose() + plan.drafts().count(0) + plan.blocks().commonPrefix(0))
        .isZero();
    assertThatThrownBy(() -> plan.blocks().of(1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the entry has no block tables: entry=1");
    assertThatThrownBy(() -> plan.drafts().tokenId(0, 0))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> plan.kind(MANY))
        .isInstanceOf(IndexOutOfBoundsException.class)
        .hasMessage("entry must be in [0, size): entry=40, size=40");
    assertThatThrownBy(() -> plan.kind(-1)).isInstanceOf(IndexOutOfBoundsException.class);

    plan.begin(9, 2_000);
    assertThat(plan.size() + plan.totalTokens()).isZero();
    assertThat(plan.endNs()).isEqualTo(2_000);
    assertThat(plan.blocks().groupCount()).isEqualTo(1);
  }
}
