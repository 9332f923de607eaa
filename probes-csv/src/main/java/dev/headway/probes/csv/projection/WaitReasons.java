package dev.headway.probes.csv.projection;

import dev.headway.probes.csv.table.TextCell;
import dev.headway.probes.csv.table.TextPolicy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One {@link Reason} per label. */
final class WaitReasons {

  /** Reasons with their own column, in the order of the columns; only ever appended to. */
  static final List<String> KNOWN =
      List.of(
          "initial_waiting",
          "max_num_seqs",
          "max_num_batched_tokens",
          "decode_priority",
          "chunked_prefill",
          "chunked_prefill_disabled",
          "memory_insufficient",
          "watermark",
          "full_sequence_reserve",
          "head_of_line",
          "preemption_in_step",
          "context_length_limit",
          "preempted",
          "evicted",
          "recomputation",
          "draft_padding",
          "prefill_throttled",
          "block_alignment",
          "max_loras",
          "stale_output",
          "policy_deferred",
          "capacity_reserved",
          "prefix_in_progress",
          "max_num_active_seqs",
          "paused",
          "output_in_flight",
          "decode_spacing",
          "stalled");

  /** Waiting, and the journal does not say why. */
  private static final String UNKNOWN = "unknown";

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
