package dev.headway.events.record;

import dev.headway.api.kvcache.KvTransferStage;
import dev.headway.api.probe.JourneyStage;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RejectReason;
import dev.headway.api.schedule.PreemptionCause;
import dev.headway.api.schedule.ResetScope;
import dev.headway.api.schedule.WaitReason;
import dev.headway.api.step.EntryKind;
import java.util.Locale;
import java.util.function.Function;

/**
 * The words behind the codes of a run, as its start record has them: a reader shows the writer's
 * words, not its own. Immutable.
 *
 * <pre>
 *  count   i32  number of tables
 *  then per table, in this order: kind, wait_reason, reject_reason, finish_reason,
 *  preemption_cause, reset_scope, journey_stage, kv_transfer_stage
 *    name  text
 *    count i32
 *    label text, {@code count} times: the words of codes 0, 1, …
 * </pre>
 */
public final class Labels {

  static final int KIND = 0;
  static final int WAIT_REASON = 1;
  static final int REJECT_REASON = 2;
  static final int FINISH_REASON = 3;
  static final int PREEMPTION_CAUSE = 4;
  static final int RESET_SCOPE = 5;
  static final int JOURNEY_STAGE = 6;
  static final int KV_TRANSFER_STAGE = 7;

  private static final String[] NAMES = {
    "kind",
    "wait_reason",
    "reject_reason",
    "finish_reason",
    "preemption_cause",
    "reset_scope",
    "journey_stage",
    "kv_transfer_stage"
  };

  private static final String[] KINDS = lowerCase(EntryKind.values());
  private static final String[] SCOPES = lowerCase(ResetScope.values());

  private final String[][] words;

  private Labels(String[][] words) {
    this.words = words;
  }

  /**
   * Returns the word of a code. A code without a word, which no writer makes, shows as a number.
   */
  String word(int table, int code) {
    final String[] labels = words[table];
    return code >= 0 && code < labels.length ? labels[code] : NAMES[table] + "_" + code;
  }

  /** Returns the code of a constant: its place in the table that this writer puts first. */
  @SuppressWarnings("EnumOrdinal") // the start record of the same journal has the order
  static int code(Enum<?> constant) {
    return constant.ordinal();
  }

  /** Returns the word of a kind of entry. */
  static String wordOf(EntryKind kind) {
    return KINDS[code(kind)];
  }

  /** Returns the word of a scope of resets. */
  static String wordOf(ResetScope scope) {
    return SCOPES[code(scope)];
  }

  static void encode(RecordBuffer out) {
    out.putInt(NAMES.length);
    encode(out, KIND, KINDS);
    encode(out, WAIT_REASON, labels(WaitReason.values(), WaitReason::label));
    encode(out, REJECT_REASON, labels(RejectReason.values(), RejectReason::label));
    encode(out, FINISH_REASON, labels(FinishReason.values(), FinishReason::label));
    encode(out, PREEMPTION_CAUSE, labels(PreemptionCause.values(), PreemptionCause::label));
    encode(out, RESET_SCOPE, SCOPES);
    encode(out, JOURNEY_STAGE, labels(JourneyStage.values(), JourneyStage::label));
    encode(out, KV_TRANSFER_STAGE, labels(KvTransferStage.values(), KvTransferStage::label));
  }

  static Labels decode(RecordCursor in) {
    final String[][] words = new String[NAMES.length][0];
    final int tables = in.nextCount();
    for (int table = 0; table < tables; table++) {
      in.nextText();
      final String[] labels = new String[checkedCount(in)];
      for (int code = 0; code < labels.length; code++) {
        labels[code] = in.nextText();
      }
      if (table < words.length) {
        words[table] = labels;
      }
    }
    return new Labels(words);
  }

  /** Reads a count of texts, each of which takes four bytes or more. */
  static int checkedCount(RecordCursor in) {
    final int count = in.nextCount();
    if (count < 0 || count > in.length() / 4) {
      throw new MalformedRecordException("expected a count of texts, found " + count);
    }
    return count;
  }

  private static void encode(RecordBuffer out, int table, String[] labels) {
    out.putText(NAMES[table]).putInt(labels.length);
    for (String label : labels) {
      out.putText(label);
    }
  }

  private static <E extends Enum<E>> String[] labels(E[] values, Function<E, String> label) {
    final String[] labels = new String[values.length];
    for (E value : values) {
      labels[code(value)] = label.apply(value);
    }
    return labels;
  }

  private static <E extends Enum<E>> String[] lowerCase(E[] values) {
    return labels(values, value -> value.name().toLowerCase(Locale.ROOT));
  }
}
