package dev.headway.events.record;

import dev.headway.api.probe.PlannedEvent;
import dev.headway.api.step.StepPlan;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads a planned step from the engine's own event, without its bytes: says what a PLANNED record
 * of that event would say. Engine thread; reused, allocates nothing.
 */
public final class PlannedEventView implements PlannedStep {

  private final boolean withEntries;
  private final boolean withNumbers;
  private @Nullable PlannedEvent event;
  private int prefillRequests;
  private int prefillTokens;

  /**
   * Makes a view of no event.
   *
   * @param withEntries whether it has entries; without, nothing is counted over the batch: {@link
   *     #prefillRequests} and {@link #prefillTokens} are 0
   */
  public PlannedEventView(boolean withEntries) {
    this(withEntries, withEntries);
  }

  private PlannedEventView(boolean withEntries, boolean withNumbers) {
    this.withEntries = withEntries;
    this.withNumbers = withNumbers;
  }

  /** Makes a view of no event that has of the entries their requests only. */
  public static PlannedEventView withNumbersOnly() {
    return new PlannedEventView(false, true);
  }

  /** Turns to an event, which is looked at until the next call. */
  public PlannedEventView wrap(PlannedEvent planned) {
    event = planned;
    prefillRequests = 0;
    prefillTokens = 0;
    final StepPlan plan = planned.plan();
    final int size = withEntries ? plan.size() : 0;
    for (int entry = 0; entry < size; entry++) {
      if (!plan.isDecode(entry)) {
        prefillRequests++;
        prefillTokens += plan.scheduledTokens(entry);
      }
    }
    return this;
  }

  @Override
  public long stepId() {
    return plan().stepId();
  }

  @Override
  public long beginNs() {
    return plan().beginNs();
  }

  @Override
  public long endNs() {
    return plan().endNs();
  }

  @Override
  public int batchSize() {
    return plan().size();
  }

  @Override
  public int totalTokens() {
    return plan().totalTokens();
  }

  @Override
  public int prefillRequests() {
    return prefillRequests;
  }

  @Override
  public int prefillTokens() {
    return prefillTokens;
  }

  @Override
  public int runningCount() {
    return event().runningCount();
  }

  @Override
  public int waitingCount() {
    return event().waitingCount();
  }

  @Override
  public int preemptedWaitingCount() {
    return event().preemptedWaitingCount();
  }

  @Override
  public int freeBlocks() {
    return event().freeBlocks();
  }

  @Override
  public int encodedItems() {
    return plan().encoderInputs().total();
  }

  @Override
  public int encodedEmbeddings() {
    return plan().encoderInputs().embeddings();
  }

  @Override
  public boolean hasEntries() {
    return withEntries || batchSize() == 0;
  }

  @Override
  public boolean hasNumbers() {
    return withNumbers || hasEntries();
  }

  @Override
  public long number(int entry) {
    return plan().request(entry).number();
  }

  @Override
  public int scheduledTokens(int entry) {
    return plan().scheduledTokens(entry);
  }

  @Override
  public int computedTokens(int entry) {
    return plan().computedTokens(entry);
  }

  @Override
  public boolean samples(int entry) {
    return plan().samples(entry);
  }

  @Override
  public EntryPhase phase(int entry) {
    return plan().isDecode(entry) ? EntryPhase.DECODE : EntryPhase.PREFILL;
  }

  @Override
  public int blockCount(int entry) {
    return plan().blocks().count(entry, 0);
  }

  @Override
  public int newBlocks(int entry) {
    return blockCount(entry) - plan().blocks().newFrom(entry, 0);
  }

  private PlannedEvent event() {
    return Objects.requireNonNull(event, "wrap must be called first");
  }

  private StepPlan plan() {
    return event().plan();
  }
}
