package dev.headway.server;

import dev.headway.api.engine.RequestHandle;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** Requests that are being answered, by the id that clients see. Any thread. */
final class UnderWay {

  /** One of them. Written by its own thread. */
  static final class Entry {
    private final int promptTokens;
    private final List<RequestHandle> handles;
    private volatile boolean answered;

    private Entry(int promptTokens, List<RequestHandle> handles) {
      this.promptTokens = promptTokens;
      this.handles = handles;
    }

    /** Its prompt is computed. */
    void answered() {
      answered = true;
    }
  }

  private final Map<String, Entry> byId = new ConcurrentHashMap<>();

  /** This id, or a longer one if a request that is under way has it: callers repeat themselves. */
  String unique(String id) {
    return byId.containsKey(id) ? id + "-" + UUID.randomUUID().toString().substring(0, 8) : id;
  }

  Entry begin(String id, int promptTokens, List<RequestHandle> handles) {
    final Entry entry = new Entry(promptTokens, handles);
    byId.put(id, entry);
    return entry;
  }

  void end(String id) {
    byId.remove(id);
  }

  /** Cancels a request. One that is not there has ended, or has not begun: nothing happens. */
  void abort(String id) {
    final Entry entry = byId.get(id);
    if (entry != null) {
      entry.handles.forEach(RequestHandle::cancel);
    }
  }

  /** Cancels all. */
  void abortAll() {
    byId.keySet().forEach(this::abort);
  }

  /** Prompt tokens of those that have no token yet, whatever is computed of them. */
  long unansweredPromptTokens() {
    long tokens = 0;
    for (Entry entry : byId.values()) {
      tokens += entry.answered ? 0 : entry.promptTokens;
    }
    return tokens;
  }
}
