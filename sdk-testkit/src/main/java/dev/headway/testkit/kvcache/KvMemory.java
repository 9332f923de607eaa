package dev.headway.testkit.kvcache;

import dev.headway.api.kvcache.KvBlockWork;
import dev.headway.api.request.RequestView;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What an executor's blocks hold: of each block the text of all tokens up to the last that was
 * written to it. Does what a manager asks for between steps.
 */
final class KvMemory implements KvBlockWork {

  /** What is in a block that a failed step was to write. */
  static final String RUBBISH = "rubbish";

  private final @Nullable String[] device;
  private final Map<Integer, String> host = new HashMap<>();
  private boolean failing;

  KvMemory(int numBlocks) {
    device = new String[numBlocks];
  }

  /** Whether the step whose work follows fails as a whole. */
  void beginStep(boolean failing) {
    this.failing = failing;
  }

  void write(int block, String text) {
    device[block] = text;
  }

  /** A failed step has written to {@code block}, behind as much of {@code text} as is there. */
  void spoil(int block, String text) {
    final String there = device[block];
    int same = 0;
    while (there != null
        && same < Math.min(there.length(), text.length())
        && there.charAt(same) == text.charAt(same)) {
      same++;
    }
    device[block] = text.substring(0, same) + RUBBISH;
  }

  /** Whether {@code block} holds {@code text}, or what begins with it. */
  boolean holds(int block, String text) {
    final String there = device[block];
    return there != null && there.startsWith(text);
  }

  /** Whether {@code block} holds {@code text} and nothing behind it. */
  boolean holdsExactly(int block, String text) {
    return text.equals(device[block]);
  }

  @Nullable String content(int block) {
    return device[block];
  }

  @Override
  public void copy(int source, int target) {
    device[target] = failing ? RUBBISH : device[source];
  }

  @Override
  public void zero(int block) {
    device[block] = null;
  }

  @Override
  public void save(int source, int target) {
    final String saved = device[source];
    host.put(target, failing || saved == null ? RUBBISH : saved);
  }

  @Override
  public void load(RequestView request, int source, int target) {
    device[target] = failing ? RUBBISH : host.getOrDefault(source, RUBBISH);
  }
}
