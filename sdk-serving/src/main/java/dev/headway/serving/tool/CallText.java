package dev.headway.serving.tool;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Tells the calls in an answer from its text, as both come. What is certain can be taken in parts,
 * for streams; the calls as a whole stay. One thread.
 */
public abstract class CallText {

  private static final int ID_CHARS = 24;

  private final StringBuilder content = new StringBuilder();
  private final List<Call> calls = new ArrayList<>();
  private List<Delta> deltas = new ArrayList<>();

  /** For readers of one form. */
  CallText() {}

  /** A call as far as it is known. */
  public static final class Call {
    private final String id =
        "call_" + UUID.randomUUID().toString().replace("-", "").substring(0, ID_CHARS);
    private final String name;
    private final StringBuilder arguments = new StringBuilder();

    private Call(String name) {
      this.name = name;
    }

    /** Made up here. */
    public String id() {
      return id;
    }

    /** The function. */
    public String name() {
      return name;
    }

    /** Its arguments, JSON once they are complete. */
    public String arguments() {
      return arguments.toString();
    }
  }

  /**
   * A part of a call.
   *
   * @param index which call, from 0
   * @param begun the call, if this is its first part
   * @param arguments what is added to its arguments
   */
  public record Delta(int index, @Nullable Call begun, String arguments) {}

  /** Takes a piece of the answer. */
  public abstract void push(String text);

  /** No more text follows. */
  public abstract void finish();

  /** Takes the text that is no call. */
  public final String takeContent() {
    final String taken = content.toString();
    content.setLength(0);
    return taken;
  }

  /** Takes the parts of calls that became certain. */
  public final List<Delta> takeDeltas() {
    final List<Delta> taken = deltas;
    deltas = new ArrayList<>();
    return taken;
  }

  /** All calls so far. */
  public final List<Call> calls() {
    return calls;
  }

  final void text(CharSequence text) {
    content.append(text);
  }

  final void begin(String function) {
    final Call call = new Call(function);
    calls.add(call);
    deltas.add(new Delta(calls.size() - 1, call, ""));
  }

  /** Adds to the arguments of the latest call. */
  final void arguments(String text) {
    if (text.isEmpty()) {
      return;
    }
    calls.getLast().arguments.append(text);
    deltas.add(new Delta(calls.size() - 1, null, text));
  }
}
