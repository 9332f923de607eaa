package dev.headway.events.record;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.probe.StepCompletedEvent;
import dev.headway.api.step.FirstOfKind;
import dev.headway.api.step.StepPlan;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads a completed step from the engine's own event, without its bytes: says what a STEP_COMPLETED
 * record of that event would say. Engine thread; reused, allocates nothing but the text of a
 * failure.
 */
public final class CompletedEventView implements CompletedStep {

  private final boolean withEntries;
  private final DraftCounts counts = new DraftCounts();
  private @Nullable StepCompletedEvent event;
  private int producedTotal;

  /**
   * Makes a view of no event.
   *
   * @param withEntries whether it has entries; without, nothing is counted over the batch: tokens
   *     produced and drafts are 0
   */
  public CompletedEventView(boolean withEntries) {
    this.withEntries = withEntries;
  }

  /** Turns to an event, which is looked at until the next call. */
  public CompletedEventView wrap(StepCompletedEvent completed) {
    event = completed;
    producedTotal = 0;
    counts.reset();
    final StepPlan plan = completed.plan();
    final int size = withEntries ? plan.size() : 0;
    for (int entry = 0; entry < size; entry++) {
      producedTotal += plan.producedTokens(entry);
    }
    if (withEntries) {
      counts.count(plan);
    }
    return this;
  }

  @Override
  public long stepId() {
    return event().plan().stepId();
  }

  @Override
  public boolean wasExecuted() {
    return event().wasExecuted();
  }

  @Override
  public FirstOfKind firstOfKind() {
    return event().output().firstOfKind();
  }

  @Override
  public long submitNs() {
    return event().submitNs();
  }

  @Override
  public long outputNs() {
    return event().outputNs();
  }

  @Override
  public long endNs() {
    return event().endNs();
  }

  @Override
  public long prepareNs() {
    return event().output().prepareNs();
  }

  @Override
  public long forwardNs() {
    return event().output().forwardNs();
  }

  @Override
  public long sampleNs() {
    return event().output().sampleNs();
  }

  @Override
  public long deviceMemoryUsedBytes() {
    return event().output().deviceMemoryUsedBytes();
  }

  @Override
  public long deviceUtilizationPermille() {
    return event().output().deviceUtilizationPermille();
  }

  @Override
  public int producedTotal() {
    return producedTotal;
  }

  @Override
  public boolean hasEntries() {
    return withEntries;
  }

  @Override
  public int producedTokens(int entry) {
    return event().plan().producedTokens(entry);
  }

  @Override
  public @Nullable String failure() {
    return ThrowableText.text(event().failure());
  }

  @Override
  public int drafts() {
    return counts.drafts();
  }

  @Override
  public int draftTokens() {
    return counts.draftTokens();
  }

  @Override
  public int acceptedTokens() {
    return counts.acceptedTokens();
  }

  @Override
  public int acceptedPositions() {
    return counts.positions();
  }

  @Override
  public int acceptedTokensAt(int position) {
    return counts.acceptedAt(position);
  }

  @Override
  public long activatedExperts() {
    return event().output().activatedExperts();
  }

  @Override
  public long measuredScheduleNs() {
    final StepPlan plan = event().plan();
    return plan.scheduleNs() == plan.endNs() - plan.beginNs() ? ABSENT : plan.scheduleNs();
  }

  private StepCompletedEvent event() {
    return Objects.requireNonNull(event, "wrap must be called first");
  }
}
