package dev.headway.routing.kvevents;

import java.util.ArrayDeque;
import java.util.List;

/** The last batches that were published, for those who missed some. Any thread. */
final class KvReplayBuffer implements KvReplay {

  private final int capacity;
  private final ArrayDeque<KvMessage> messages = new ArrayDeque<>();

  KvReplayBuffer(int capacity) {
    this.capacity = capacity;
  }

  synchronized void add(KvMessage message) {
    if (messages.size() == capacity) {
      messages.remove();
    }
    messages.add(message);
  }

  @Override
  public synchronized List<KvMessage> from(long sequence) {
    return messages.stream().filter(message -> message.sequence() >= sequence).toList();
  }
}
