package dev.headway.probes.csv.projection;

import dev.headway.events.reason.WaitReasonInfo;
import dev.headway.events.reason.WaitReasonTable;
import dev.headway.probes.csv.option.TextPolicy;
import dev.headway.probes.csv.table.TextCell;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The wait reasons of a journal, one {@link Reason} per label. */
final class WaitReasons {

  /** Reasons with their own column, in the order of the columns; only ever appended to. */
  static final List<String> KNOWN =
      WaitReasonTable.all().stream().map(WaitReasonInfo::label).toList();

  /** Waiting, and the journal does not say why. */
  private static final String UNKNOWN = "unknown";

  /**
   * A wait reason of a journal.
   *
   * @param label the word
   * @param cell the word as a cell
   * @param index position in {@link #KNOWN}, or after it for a reason of a newer writer
   */
  record Reason(String label, String cell, int index) {}

  private final TextPolicy policy;
  private final Map<String, Reason> byLabel = new HashMap<>();
  private final List<String> labels = new ArrayList<>();

  final Reason initialWaiting;
  final Reason preempted;
  final Reason evicted;
  final Reason chunkedPrefill;
  final Reason recomputation;
  final Reason unknown;

  WaitReasons(TextPolicy policy) {
    this.policy = policy;
    for (String label : KNOWN) {
      add(label, TextCell.encode(label, policy));
    }
    initialWaiting = of("initial_waiting");
    preempted = of("preempted");
    evicted = of("evicted");
    chunkedPrefill = of("chunked_prefill");
    recomputation = of("recomputation");
    unknown = add(UNKNOWN, "");
  }

  /** Returns the reason of a label, known or not. */
  Reason of(String label) {
    final Reason known = byLabel.get(label);
    return known != null ? known : add(label, TextCell.encode(label, policy));
  }

  /** The label of an index of {@link Reason#index}. */
  String label(int index) {
    return labels.get(index);
  }

  private Reason add(String label, String cell) {
    final Reason reason = new Reason(label, cell, labels.size());
    labels.add(label);
    byLabel.put(label, reason);
    return reason;
  }
}
