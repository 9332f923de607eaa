package dev.headway.scheduler.queue;

import dev.headway.scheduler.state.RequestState;
import java.util.Comparator;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * vLLM's two waiting queues: those passed over are in a separate line. By arrival, that line comes
 * first; by priority, the more important of the two heads does.
 *
 * <p>Those passed over stay in the order in which they first were, which is the order in which vLLM
 * has them: it looks at all of them before any other. A request passed over is kept aside until
 * admissions end. Allocates only to grow.
 */
public final class TwoLineQueue implements AdmissionOrder {

  /** Which head comes first. */
  private enum HeadRule {
    PASSED_OVER_FIRST,
    MORE_IMPORTANT_FIRST
  }

  private final WaitingQueue waiting;
  private final HeadRule headRule;
  private final Comparator<RequestState> skippedOrder;

  /** Those passed over, and those of this step; null until there is one. */
  private @Nullable WaitingQueue skipped;

  private @Nullable PassedOver aside;
  private long passedOver;

  private TwoLineQueue(
      WaitingQueue waiting, Comparator<RequestState> skippedOrder, HeadRule headRule) {
    this.waiting = waiting;
    this.skippedOrder = skippedOrder;
    this.headRule = headRule;
  }

  /** Order of arrival. */
  public static TwoLineQueue byArrival() {
    return new TwoLineQueue(
        new FcfsQueue(),
        Comparator.comparingLong(request -> request.passedOverNumber),
        HeadRule.PASSED_OVER_FIRST);
  }

  /** Order of priority. */
  public static TwoLineQueue byPriority() {
    return new TwoLineQueue(
        new RequestHeap(PriorityOrder::compare),
        PriorityOrder::compare,
        HeadRule.MORE_IMPORTANT_FIRST);
  }

  @Override
  public void add(RequestState request) {
    request.passedOver = false;
    waiting.add(request);
  }

  @Override
  public void addPreempted(RequestState request) {
    request.passedOver = false;
    waiting.putBack(request);
  }

  @Override
  public void remove(RequestState request) {
    lineOf(request).remove(request);
  }

  @Override
  public @Nullable RequestState peek() {
    final RequestState fresh = waiting.peek();
    final RequestState passed = skipped == null ? null : skipped.peek();
    if (passed == null || fresh == null) {
      return passed == null ? fresh : passed;
    }
    if (headRule == HeadRule.PASSED_OVER_FIRST) {
      return passed;
    }
    return PriorityOrder.compare(passed, fresh) < 0 ? passed : fresh;
  }

  @Override
  public void passOver(RequestState request) {
    setAside(request);
    if (aside == null) {
      aside = new PassedOver(skipped()::add);
    }
    aside.add(request);
  }

  @Override
  public void end() {
    if (aside != null) {
      aside.putBack();
    }
  }

  @Override
  public void setAside(RequestState request) {
    lineOf(request).remove(request);
    if (!request.passedOver) {
      request.passedOver = true;
      request.passedOverNumber = passedOver++;
    }
  }

  @Override
  public void giveBack(RequestState request) {
    skipped().add(request);
  }

  @Override
  public boolean isDue(RequestState setAside) {
    final RequestState head = peek();
    return head == null
        || (headRule == HeadRule.PASSED_OVER_FIRST && !head.passedOver)
        || skippedOrder.compare(setAside, head) < 0;
  }

  @Override
  public Comparator<RequestState> order() {
    return skippedOrder;
  }

  @Override
  public int neverPassedOver() {
    return waiting.size();
  }

  @Override
  public void forEachInOrder(Consumer<RequestState> visitor) {
    waiting.forEachInOrder(visitor);
  }

  @Override
  public void forEachPassedOver(Consumer<RequestState> visitor) {
    if (skipped != null) {
      skipped.forEachInOrder(visitor);
    }
  }

  private WaitingQueue lineOf(RequestState request) {
    return request.passedOver ? skipped() : waiting;
  }

  private WaitingQueue skipped() {
    if (skipped == null) {
      skipped = new RequestHeap(skippedOrder);
    }
    return skipped;
  }
}
