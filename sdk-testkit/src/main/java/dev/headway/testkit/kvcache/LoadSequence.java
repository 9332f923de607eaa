package dev.headway.testkit.kvcache;

import dev.headway.api.kvcache.KvSequence;
import dev.headway.testkit.FakeRequest;
import java.util.Objects;

/** A request of a random load, its block tables, and how far it is. */
final class LoadSequence {

  final FakeRequest request;
  final KvSequence sequence;
  int computed;
  int inFlight;
  long lastStep;

  /** Whether it depended on a step that failed; it is gone then. */
  boolean failed;

  LoadSequence(FakeRequest request, KvSequence sequence) {
    this.request = request;
    this.sequence = sequence;
  }

  /** The text of its first {@code tokens} tokens, with what keeps it apart from others. */
  String text(int tokens) {
    final StringBuilder text =
        new StringBuilder(Objects.requireNonNullElse(request.request().cacheSalt(), ""))
            .append(':');
    for (int i = 0; i < tokens; i++) {
      text.append(request.tokenId(i)).append(' ');
    }
    return text.toString();
  }

  /** The block of {@code group} that has the token at {@code position}; 0 if none has. */
  int blockOf(int group, int blockSize, int position) {
    final int index = position / blockSize;
    return index < sequence.blockCount(group) ? sequence.blockId(group, index) : 0;
  }

  /** Whether one of its block tables has {@code block}. */
  boolean holds(int block) {
    for (int group = 0; group < sequence.groupCount(); group++) {
      for (int i = 0; i < sequence.blockCount(group); i++) {
        if (sequence.blockId(group, i) == block) {
          return true;
        }
      }
    }
    return false;
  }

  /** Tokens {@code [from, to)} of it, in one step. */
  static final class Chunk {
    final LoadSequence owner;
    final int from;
    final int to;

    /** Whether the executor fails it. */
    final boolean fails;

    /** Whether what it needed was there when it was computed. */
    boolean sound = true;

    Chunk(LoadSequence owner, int from, int to, boolean fails) {
      this.owner = owner;
      this.from = from;
      this.to = to;
      this.fails = fails;
    }
  }
}
