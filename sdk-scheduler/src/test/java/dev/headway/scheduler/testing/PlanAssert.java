package dev.headway.scheduler.testing;

import dev.headway.scheduler.testing.PlanCopy.Entry;
import java.util.List;
import org.assertj.core.api.AbstractAssert;
import org.assertj.core.api.Assertions;

/** Assertions about a plan, in the words of scheduling. */
public final class PlanAssert extends AbstractAssert<PlanAssert, PlanCopy> {

  private PlanAssert(PlanCopy actual) {
    super(actual, PlanAssert.class);
  }

  /** Starts an assertion. */
  public static PlanAssert assertThat(PlanCopy plan) {
    return new PlanAssert(plan);
  }

  /** The plan gives this request so many tokens. */
  public PlanAssert schedules(String id, int tokens) {
    final Entry entry = entryOf(id);
    if (entry.tokens() != tokens) {
      failWithMessage("%s must get %d tokens: plan=%s", id, tokens, actual);
    }
    return this;
  }

  /** These requests and no others, in this order. */
  public PlanAssert schedulesOnly(String... ids) {
    Assertions.assertThat(actual.entries()).extracting(Entry::id).containsExactly(ids);
    return this;
  }

  /** Nobody gets anything. */
  public PlanAssert isEmpty() {
    return schedulesOnly();
  }

  /** The request's first token to compute stands here. */
  public PlanAssert startsAt(String id, int computed) {
    if (entryOf(id).computed() != computed) {
      failWithMessage("%s must start at %d: plan=%s", id, computed, actual);
    }
    return this;
  }

  /** These requests, in this order, were preempted since the plan before. */
  public PlanAssert preempts(String... ids) {
    Assertions.assertThat(actual.preempted()).containsExactly(ids);
    return this;
  }

  /** These requests, in this order, ended since the plan before. */
  public PlanAssert announcesFinished(String... ids) {
    Assertions.assertThat(actual.finished()).containsExactly(ids);
    return this;
  }

  /** The request's block table. */
  public PlanAssert hasBlocks(String id, Integer... blocks) {
    Assertions.assertThat(entryOf(id).blocks()).containsExactly(blocks);
    return this;
  }

  private Entry entryOf(String id) {
    final List<Entry> found = actual.entries().stream().filter(e -> e.id().equals(id)).toList();
    Assertions.assertThat(found).as("entry of %s in %s", id, actual).hasSize(1);
    return found.getFirst();
  }
}
