package dev.headway.api.kvcache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.kvcache.Allocation.Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class AllocationTest {

  private final Allocation allocation = new Allocation();

  @Test
  void shouldBeginAllocatedWithNothing() {
    assertThat(allocation.isAllocated()).isTrue();
    assertThat(allocation.status()).isEqualTo(Status.ALLOCATED);
    assertThat(allocation.neededBlocks()).isZero();
    assertThat(allocation.hostTokens()).isZero();
  }

  @ParameterizedTest
  @EnumSource(Status.class)
  void shouldAnswerWithItselfAndTheFigures(Status status) {
    assertThat(allocation.answer(status, 7).withHostTokens(32)).isSameAs(allocation);

    assertThat(allocation.status()).isEqualTo(status);
    assertThat(allocation.isAllocated()).isEqualTo(status == Status.ALLOCATED);
    assertThat(allocation.neededBlocks()).isEqualTo(7);
    assertThat(allocation.hostTokens()).isEqualTo(32);
    assertThat(allocation).hasToString("Allocation[status=" + status + ", neededBlocks=7]");
  }

  @Test
  void shouldForgetTheHostTokensOfTheAllocationBefore() {
    allocation.answer(Status.ALLOCATED, 7).withHostTokens(32);

    allocation.answer(Status.BLOCKS_SHORT, 9);

    assertThat(allocation.hostTokens()).isZero();
  }
}
