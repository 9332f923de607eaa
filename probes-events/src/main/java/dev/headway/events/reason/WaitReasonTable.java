package dev.headway.events.reason;

import static dev.headway.events.reason.WaitFamily.ADAPTERS;
import static dev.headway.events.reason.WaitFamily.HELD;
import static dev.headway.events.reason.WaitFamily.KV_BLOCKS;
import static dev.headway.events.reason.WaitFamily.OTHER;
import static dev.headway.events.reason.WaitFamily.PAUSE;
import static dev.headway.events.reason.WaitFamily.POLICY;
import static dev.headway.events.reason.WaitFamily.SEATS;
import static dev.headway.events.reason.WaitFamily.STEP_BOUNDARY;
import static dev.headway.events.reason.WaitFamily.TOKEN_BUDGET;

import dev.headway.api.schedule.WaitReason;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Every {@link WaitReason} with what readers know of it: the columns of {@code per_request.csv},
 * reports, explanations and dashboards all ask here. A reason without a row is a failure of this
 * class to load.
 */
public final class WaitReasonTable {

  /** In the order of the columns of CSV files: a new reason goes to the end. */
  private static final List<WaitReasonInfo> ROWS =
      List.of(
          row(WaitReason.INITIAL_WAITING, STEP_BOUNDARY, "no decision had seen it yet")
              .need("the next step; a step already begun admits no request")
              .color("#f0e442")
              .build(),
          row(WaitReason.MAX_NUM_SEQS, SEATS, "all seats were taken")
              .setting("maxNumSeqs")
              .need("a seat")
              .color("#009e73")
              .style(4)
              .build(),
          row(
                  WaitReason.MAX_NUM_BATCHED_TOKENS,
                  TOKEN_BUDGET,
                  "others took the rest of the token budget")
              .setting("maxNumBatchedTokens")
              .need("room in the token budget; max_num_batched_tokens")
              .countsTokens()
              .color("#0072b2")
              .style(0)
              .build(),
          row(
                  WaitReason.DECODE_PRIORITY,
                  TOKEN_BUDGET,
                  "running decodes alone used up the token budget")
              .setting("maxNumBatchedTokens")
              .need("room in the token budget; decode_priority")
              .color("#3b8bc2")
              .build(),
          row(
                  WaitReason.CHUNKED_PREFILL,
                  TOKEN_BUDGET,
                  "a running prompt chunk used up the token budget")
              .setting("maxNumBatchedTokens")
              .need("room in the token budget; chunked_prefill")
              .color("#56b4e9")
              .style(3)
              .build(),
          row(
                  WaitReason.CHUNKED_PREFILL_DISABLED,
                  TOKEN_BUDGET,
                  "its tokens did not fit into the rest of the budget, and chunked prefill is off")
              .countsTokens()
              .build(),
          row(
                  WaitReason.MEMORY_INSUFFICIENT,
                  KV_BLOCKS,
                  "its next tokens needed more KV blocks than were free")
              .need("KV blocks; memory_insufficient")
              .color("#cc4400")
              .style(5)
              .build(),
          row(
                  WaitReason.WATERMARK,
                  KV_BLOCKS,
                  "enough KV blocks were free, but taking them would have gone below the watermark")
              .need("KV blocks; watermark")
              .color("#b85c00")
              .build(),
          row(
                  WaitReason.FULL_SEQUENCE_RESERVE,
                  KV_BLOCKS,
                  "its whole sequence must fit before it starts")
              .need("KV blocks; full_sequence_reserve")
              .color("#d55e00")
              .style(1)
              .build(),
          row(WaitReason.HEAD_OF_LINE, OTHER, "a request ahead of it in the queue was refused")
              .need("its turn; head_of_line")
              .color("#999999")
              .build(),
          row(
                  WaitReason.PREEMPTION_IN_STEP,
                  KV_BLOCKS,
                  "a request was preempted in the step, which closes admissions")
              .countsTokens()
              .color("#e0a3c4")
              .build(),
          row(WaitReason.CONTEXT_LENGTH_LIMIT, OTHER, "its context was full")
              .setting("maxModelLen")
              .countsTokens()
              .build(),
          row(WaitReason.PREEMPTED, KV_BLOCKS, "it was preempted and had not been considered since")
              .color("#cc79a7")
              .style(2)
              .build(),
          row(WaitReason.EVICTED, KV_BLOCKS, "it was preempted by a reset of the prefix cache")
              .color("#b3598a")
              .build(),
          row(WaitReason.RECOMPUTATION, OTHER, "it computed again what a preemption took").build(),
          row(
                  WaitReason.DRAFT_PADDING,
                  TOKEN_BUDGET,
                  "it needs room for its draft tokens too, and the rest of the budget did not have"
                      + " it")
              .countsTokens()
              .build(),
          row(
                  WaitReason.PREFILL_THROTTLED,
                  TOKEN_BUDGET,
                  "prompts were not computed while others decoded")
              .countsTokens()
              .build(),
          row(
                  WaitReason.BLOCK_ALIGNMENT,
                  TOKEN_BUDGET,
                  "no chunk that ends at a block boundary fitted into the rest of the budget")
              .countsTokens()
              .build(),
          row(
                  WaitReason.MAX_LORAS,
                  ADAPTERS,
                  "as many other LoRA adapters were in use as there may be")
              .need("a place for its LoRA adapter; maxLoras")
              .color("#7b6fd0")
              .build(),
          row(
                  WaitReason.STALE_OUTPUT,
                  KV_BLOCKS,
                  "results from before its preemption were still out")
              .build(),
          row(WaitReason.POLICY_DEFERRED, POLICY, "the admission policy put it off")
              .color("#e69f00")
              .build(),
          row(
                  WaitReason.CAPACITY_RESERVED,
                  KV_BLOCKS,
                  "the capacity policy kept the free KV blocks for others")
              .need("KV blocks; capacity_reserved")
              .color("#a65200")
              .build(),
          row(
                  WaitReason.PREFIX_IN_PROGRESS,
                  POLICY,
                  "the state that its prefix ends with was being computed")
              .build(),
          row(WaitReason.MAX_NUM_ACTIVE_SEQS, SEATS, "as many requests were active as there may be")
              .need("a seat; maxNumActiveSeqs")
              .color("#2bb58d")
              .build(),
          row(WaitReason.PAUSED, PAUSE, "scheduling was paused")
              .countsTokens()
              .color("#666666")
              .build(),
          row(
                  WaitReason.OUTPUT_IN_FLIGHT,
                  OTHER,
                  "all it knew was scheduled, and an output was due")
              .build(),
          row(
                  WaitReason.DECODE_SPACING,
                  POLICY,
                  "the pipeline's stages take turns, and it was another's")
              .build(),
          row(WaitReason.STALLED, OTHER, "no KV blocks were free, and the policy preempted none")
              .build(),
          row(WaitReason.GRAMMAR, HELD, "the grammar of its output was being compiled")
              .need("its grammar, compiled")
              .color("#117733")
              .build(),
          row(WaitReason.ADAPTER_LOADING, HELD, "its LoRA adapter was being loaded")
              .need("its LoRA adapter, loaded")
              .color("#44aa99")
              .build(),
          row(WaitReason.EXTERNAL_HOLD, HELD, "its caller held it back")
              .need("its release by the caller")
              .color("#88ccaa")
              .build(),
          row(
                  WaitReason.ENCODER_BUDGET,
                  OTHER,
                  "its next tokens needed an image or the like, for which too little was left of the"
                      + " encoder's budget")
              .setting("maxNumEncoderInputTokens")
              .need("room in the encoder's budget; maxNumEncoderInputTokens")
              .countsTokens()
              .build(),
          row(
                  WaitReason.ENCODER_CACHE,
                  OTHER,
                  "its next tokens needed an image or the like, for which the encoder's cache had no"
                      + " room")
              .setting("encoderCacheSize")
              .need("room in the encoder's cache; encoderCacheSize")
              .countsTokens()
              .build(),
          row(WaitReason.STREAMING_INPUT, HELD, "its session had no input")
              .need("further input")
              .color("#999933")
              .build(),
          row(WaitReason.REMOTE_KV, HELD, "its KV was being loaded from outside")
              .need("the end of its load")
              .color("#6699cc")
              .build(),
          row(WaitReason.KV_LOOKUP, OTHER, "the KV connector did not know yet what it had of it")
              .need("the connector's answer")
              .build(),
          row(
                  WaitReason.KV_LOAD_RESERVE,
                  KV_BLOCKS,
                  "prefills in flight still needed the blocks that were free for its load")
              .need("KV blocks; kv_load_reserve")
              .build(),
          row(
                  WaitReason.MAX_NUM_PARTIAL_PREFILLS,
                  SEATS,
                  "as many prompts were being computed in parts as there may be")
              .need("the end of another prompt; maxNumPartialPrefills, maxLongPartialPrefills")
              .color("#6f4e7c")
              .build());

  private static final Map<String, WaitReasonInfo> BY_LABEL = byLabel();

  private WaitReasonTable() {}

  private static Map<String, WaitReasonInfo> byLabel() {
    final Set<WaitReason> missing = EnumSet.allOf(WaitReason.class);
    final Map<String, WaitReasonInfo> rows = new LinkedHashMap<>();
    for (WaitReasonInfo row : ROWS) {
      if (!missing.remove(row.reason())) {
        throw new IllegalStateException("a reason must have one row: reason=" + row.reason());
      }
      rows.put(row.label(), row);
    }
    if (!missing.isEmpty()) {
      throw new IllegalStateException("every reason must have a row: missing=" + missing);
    }
    return rows;
  }

  /** All reasons, in the order of their columns. */
  public static List<WaitReasonInfo> all() {
    return ROWS;
  }

  /** What is known of a label; null for one of a newer writer. */
  public static @Nullable WaitReasonInfo of(String label) {
    return BY_LABEL.get(label);
  }

  /** The family of a label; {@link WaitFamily#OTHER} for one of a newer writer. */
  public static WaitFamily familyOf(String label) {
    final WaitReasonInfo row = of(label);
    return row == null ? OTHER : row.family();
  }

  private static Row row(WaitReason reason, WaitFamily family, String meaning) {
    return new Row(reason, family, meaning);
  }

  /** A row in the making: most reasons have only some of the rest. */
  private static final class Row {
    private final WaitReason reason;
    private final WaitFamily family;
    private final String meaning;
    private @Nullable String setting;
    private @Nullable String need;
    private boolean countsTokens;
    private @Nullable String color;
    private int style = WaitReasonInfo.SHARED_STYLE;

    Row(WaitReason reason, WaitFamily family, String meaning) {
      this.reason = reason;
      this.family = family;
      this.meaning = meaning;
    }

    Row setting(String name) {
      setting = name;
      return this;
    }

    Row need(String words) {
      need = words;
      return this;
    }

    Row countsTokens() {
      countsTokens = true;
      return this;
    }

    Row color(String css) {
      color = css;
      return this;
    }

    Row style(int number) {
      style = number;
      return this;
    }

    WaitReasonInfo build() {
      return new WaitReasonInfo(reason, family, meaning, setting, need, countsTokens, color, style);
    }
  }
}
