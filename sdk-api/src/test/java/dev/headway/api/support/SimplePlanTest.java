package dev.headway.api.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.kvcache.BlockCounts;
import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.request.Request;
import dev.headway.api.step.BlockPairs;
import dev.headway.api.step.EndedRequests;
import dev.headway.api.step.EntryKind;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SimplePlanTest {

  private static final int MANY = 40; // more than the arrays hold at first

  private final SimplePlan plan = new SimplePlan();

  @Test
  void shouldKeepBlockOperationsOfEachKindInTheOrderOfTheCalls() {
    final SimpleBlockOperations operations = plan.blockOperations();

    for (int i = 0; i < MANY; i++) {
      operations.save(i, 100 + i);
      operations.load(request(i), 200 + i, i);
      operations.zero(300 + i);
      operations.copy(400 + i, 500 + i);
    }
    operations.evicted(7);

    assertPairs(operations.saves(), 0, 100);
    assertPairs(operations.loads(), 200, 0);
    assertPairs(operations.copies(), 400, 500);
    assertThat(IntStream.range(0, operations.zeroed().size()).map(operations.zeroed()::block))
        .containsExactlyElementsOf(IntStream.range(300, 300 + MANY).boxed().toList());
    assertThat(operations.loadedFor(MANY - 1).number()).isEqualTo(MANY - 1);
    assertThat(operations.evictions()).isEqualTo(1);
  }

  @Test
  void shouldCopyOperationsThatStayWhenThePlanBeginsAnew() {
    final SimpleBlockOperations operations = plan.blockOperations();
    operations.save(1, 2);
    operations.load(request(0), 3, 4);
    operations.zero(5);
    operations.copy(6, 7);
    final SimpleBlockOperations copied = new SimpleBlockOperations();
    copied.copy(8, 9);

    copied.copyFrom(plan.blockOperations());
    plan.begin(2, 0);

    assertPair(copied.saves(), 1, 2);
    assertPair(copied.loads(), 3, 4);
    assertPair(copied.copies(), 6, 7);
    assertThat(copied.zeroed().size()).isEqualTo(1);
    assertThat(copied.zeroed().block(0)).isEqualTo(5);
    assertThat(operations.saves().size() + operations.loads().size()).isZero();
    assertThat(operations.zeroed().size() + operations.copies().size()).isZero();
  }

  @Test
  void shouldForgetForWhichRequestsItLoadedAndEvicted() {
    final SimpleBlockOperations operations = plan.blockOperations();
    operations.load(request(1), 3, 4);
    operations.evicted(3);

    operations.clear();
    assertThat(operations.evictions()).isZero();
    operations.load(request(2), 5, 6);

    assertThat(operations.loadedFor(0).number()).isEqualTo(2);
  }

  @Test
  void shouldKeepTheBlockTablesOfEachEntry() {
    final KvSequence first = new BlockCounts(0, 3);
    final KvSequence second = new BlockCounts(0, 4);
    plan.add(request(0), first, EntryKind.NEW, 1, 0, 0);
    plan.add(request(1), second, EntryKind.NEW, 1, 0, 0);

    assertThat(plan.blocks().of(0)).isSameAs(first);
    assertThat(plan.blocks().of(1)).isSameAs(second);
    assertThat(plan.blocks().count(0, 0)).isEqualTo(3);
    assertThat(plan.blocks().count(1, 0)).isEqualTo(4);
  }

  @Test
  void shouldListPreemptedAndEndedRequestsUntilThePlanBeginsAnew() {
    for (int i = 0; i < MANY; i++) {
      plan.preempted().add(request(i));
      plan.finished().add(request(MANY + i));
    }

    assertRequests(plan.preempted(), 0);
    assertRequests(plan.finished(), MANY);
    plan.begin(2, 0);
    assertThat(plan.preempted().size() + plan.finished().size()).isZero();
  }

  @Test
  void shouldRefuseIndexesOutsideTheViews() {
    plan.blockOperations().copy(1, 2);
    plan.finished().add(request(0));

    assertThatThrownBy(() -> plan.blockOperations().copies().target(1))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> plan.blockOperations().zeroed().block(0))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> plan.finished().id(1)).isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void shouldShowTenantAndPriorityOfARequest() {
    final Request asked = Request.builder("a", 1).maxTokens(1).tenant("acme").priority(-3).build();

    assertThat(new SimpleRequest(asked, 0, 0, 0).tenant()).isEqualTo("acme");
    assertThat(new SimpleRequest(asked, 0, 0, 0).priority()).isEqualTo(-3);
    assertThat(request(0).tenant()).isNull();
    assertThat(request(0).priority()).isZero();
  }

  private static SimpleRequest request(int number) {
    return new SimpleRequest(Request.builder("r" + number, 1).maxTokens(1).build(), number, 0, 0);
  }

  private static void assertPairs(BlockPairs pairs, int firstSource, int firstTarget) {
    assertThat(pairs.size()).isEqualTo(MANY);
    for (int i = 0; i < MANY; i++) {
      assertThat(pairs.source(i)).isEqualTo(firstSource + i);
      assertThat(pairs.target(i)).isEqualTo(firstTarget + i);
    }
  }

  private static void assertPair(BlockPairs pairs, int source, int target) {
    assertThat(pairs.size()).isEqualTo(1);
    assertThat(pairs.source(0)).isEqualTo(source);
    assertThat(pairs.target(0)).isEqualTo(target);
  }

  private static void assertRequests(EndedRequests requests, int firstNumber) {
    assertThat(requests.size()).isEqualTo(MANY);
    for (int i = 0; i < MANY; i++) {
      assertThat(requests.number(i)).isEqualTo(firstNumber + i);
      assertThat(requests.id(i)).isEqualTo("r" + (firstNumber + i));
    }
  }
}
