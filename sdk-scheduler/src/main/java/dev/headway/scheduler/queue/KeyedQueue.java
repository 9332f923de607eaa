package dev.headway.scheduler.queue;

import dev.headway.scheduler.policy.guard.GuardedPolicies;
import dev.headway.scheduler.state.RequestState;
import java.util.Comparator;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Order of a key that a policy gives when a request begins to wait, equal keys by arrival. A
 * request that is passed over keeps its place. Allocates only to grow.
 */
public final class KeyedQueue implements AdmissionOrder {

  private final GuardedPolicies policies;
  private final RequestHeap heap = new RequestHeap(KeyedQueue::compare);
  private final PassedOver aside = new PassedOver(heap::add);

  /** Makes an empty queue that asks {@code policies} for keys. */
  public KeyedQueue(GuardedPolicies policies) {
    this.policies = policies;
  }

  private static int compare(RequestState a, RequestState b) {
    final int byKey = Double.compare(a.orderKey, b.orderKey);
    return byKey != 0 ? byKey : Long.compare(a.number(), b.number());
  }

  @Override
  public void add(RequestState request) {
    request.orderKey = policies.key(request);
    heap.add(request);
  }

  @Override
  public void addPreempted(RequestState request) {
    add(request);
  }

  @Override
  public void remove(RequestState request) {
    heap.remove(request);
  }

  @Override
  public @Nullable RequestState peek() {
    return heap.peek();
  }

  @Override
  public void passOver(RequestState request) {
    heap.remove(request);
    aside.add(request);
  }

  @Override
  public void end() {
    aside.putBack();
  }

  @Override
  public void setAside(RequestState request) {
    heap.remove(request);
  }

  @Override
  public void giveBack(RequestState request) {
    heap.add(request);
  }

  @Override
  public boolean isDue(RequestState setAside) {
    final RequestState head = heap.peek();
    return head == null || compare(setAside, head) < 0;
  }

  @Override
  public Comparator<RequestState> order() {
    return KeyedQueue::compare;
  }

  @Override
  public int neverPassedOver() {
    return heap.size() + aside.size();
  }

  @Override
  public void forEachInOrder(Consumer<RequestState> visitor) {
    heap.forEachInOrder(visitor);
  }

  @Override
  public void forEachPassedOver(Consumer<RequestState> visitor) {}
}
