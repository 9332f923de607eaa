package dev.headway.simulation.workload;

import dev.headway.api.internal.NearestName;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The trace formats that {@link TraceReaders} understands. Columns are found by name, in any order;
 * unknown columns are passed over.
 */
public enum TraceFormat {
  /** Recognised by the columns of the header, or by the keys of the first JSON object. */
  AUTO("auto", Syntax.CSV, ArrivalUnit.NANOS, 0),

  /**
   * Azure LLM inference traces of 2023 and 2024: {@code TIMESTAMP,ContextTokens,GeneratedTokens},
   * and the multimodal one of 2025, whose {@code ContextTokens} include the images. Times are
   * dates, taken as UTC where no zone is written; they become relative to the earliest.
   */
  AZURE(
      "azure",
      Syntax.CSV,
      ArrivalUnit.DATE_TIME,
      0,
      "TIMESTAMP",
      "ContextTokens",
      "GeneratedTokens"),

  /**
   * Bailian JSONL of Alibaba's Qwen service: {@code timestamp} in seconds, {@code input_length,
   * output_length, chat_id}, optional {@code hash_ids} of 16-token prefix blocks. That a turn
   * follows {@code parent_chat_id} is not used: it arrives when the trace says.
   */
  BAILIAN(
      "bailian",
      Syntax.JSONL,
      ArrivalUnit.SECONDS,
      16,
      "timestamp",
      "input_length",
      "output_length",
      "chat_id"),

  /**
   * Mooncake JSONL: {@code timestamp} or {@code created_time} in milliseconds (a fraction is kept
   * to the nanosecond), {@code input_length} or {@code input_tokens}, {@code output_length} or
   * {@code output_tokens}, optional {@code hash_ids} of 512-token prefix blocks.
   *
   * <p>A row without a time, as AIPerf writes for later turns, has {@code session_id} and {@code
   * delay} or {@code delay_ms}: it arrives so many milliseconds after the session's row before it.
   * In a real conversation the answer's time is between the two; the trace does not know it.
   */
  MOONCAKE(
      "mooncake",
      Syntax.JSONL,
      ArrivalUnit.MILLIS,
      512,
      "timestamp|created_time",
      "input_length|input_tokens",
      "output_length|output_tokens"),

  /**
   * LLMServingSim JSONL, made from ShareGPT: {@code arrival_time_ns, input_toks, output_toks},
   * optional {@code hash_ids} of 16-token prefix blocks.
   */
  LLMSERVINGSIM(
      "llmservingsim",
      Syntax.JSONL,
      ArrivalUnit.NANOS,
      16,
      "arrival_time_ns",
      "input_toks",
      "output_toks"),

  /**
   * Requests of vLLM as LLMServingSim records them, {@code requests.jsonl} beside {@code
   * meta.json}: {@code request_id, arrival_time, queued_ts, input_toks, output_toks}. Arrivals are
   * seconds since 1970, made relative to the earliest; what was measured is passed over.
   */
  LLMSERVINGSIM_RUN(
      "llmservingsim-run",
      Syntax.JSONL,
      ArrivalUnit.SECONDS,
      0,
      "arrival_time",
      "input_toks",
      "output_toks",
      "request_id",
      "queued_ts"),

  /**
   * Vidur processed CSV: {@code arrived_at} in seconds, {@code num_prefill_tokens,
   * num_decode_tokens}.
   */
  VIDUR(
      "vidur",
      Syntax.CSV,
      ArrivalUnit.SECONDS,
      0,
      "arrived_at",
      "num_prefill_tokens",
      "num_decode_tokens"),

  /**
   * BurstGPT CSV: {@code Timestamp} in seconds, made relative to the earliest, {@code Request
   * tokens, Response tokens}, with or without the newer columns {@code Session ID, Elapsed time}.
   * Failed requests have 0 request or response tokens; they are left out and counted.
   */
  BURSTGPT(
      "burstgpt",
      Syntax.CSV,
      ArrivalUnit.SECONDS,
      0,
      "Timestamp",
      "Request tokens",
      "Response tokens"),

  /**
   * ShareGPT JSON, one array of conversations: the first value is the prompt, the second the
   * output, both with a token for every four characters, since there is no tokenizer here. As in
   * {@code vllm bench serve}, conversations with less than two values, less than 4 tokens either
   * way, more than 1,024 in the prompt or more than 2,048 together are dropped; they are counted.
   * There are no arrivals: all requests come at 0.
   */
  SHAREGPT("sharegpt", Syntax.JSON, ArrivalUnit.NONE, 0),

  /**
   * The CSV of a BLIS trace, version 2: {@code arrival_time_us, input_tokens, output_tokens,
   * request_id} and, where they are there, {@code send_time_us, server_input_tokens, tenant_id,
   * vllm_priority, prefix_group, prefix_length}. As in BLIS, a request arrives at its time of
   * sending where that is recorded; the server's count of prompt tokens replaces the client's,
   * except in a prefix group, whose {@code prefix_length} comes on top. 0 is "not recorded".
   */
  TRACEV2(
      "tracev2",
      Syntax.CSV,
      ArrivalUnit.MICROS,
      0,
      "arrival_time_us",
      "input_tokens",
      "output_tokens",
      "request_id"),

  /**
   * Measured requests: {@code request_id, arrival_s, input_tokens, output_tokens} and, optional,
   * {@code tenant, priority}, and {@code prefix_group} with {@code prefix_tokens}; a group alone
   * says nothing about lengths and is passed over, as are times and errors that were measured.
   */
  MEASURED(
      "measured",
      Syntax.CSV,
      ArrivalUnit.SECONDS,
      0,
      "arrival_s",
      "input_tokens",
      "output_tokens",
      "request_id"),

  /**
   * Headway's own CSV: {@code arrival_ns, input_tokens, output_tokens, request_id}, or the {@code
   * per_request.csv} of a run, whose {@code arrival_time} is in nanoseconds too, and, optional,
   * {@code tenant, priority}, and either {@code prefix_group, prefix_tokens} or {@code
   * prefix_blocks, prefix_block_tokens}. Requests of one prefix group share their first {@code
   * prefix_tokens} tokens. {@code prefix_blocks} are the ids of {@link
   * WorkloadRequest#prefixBlockIds()}, separated by spaces.
   */
  HEADWAY(
      "headway",
      Syntax.CSV,
      ArrivalUnit.NANOS,
      0,
      "arrival_ns|arrival_time",
      "input_tokens",
      "output_tokens",
      "request_id");

  static final int ARRIVAL = 0;
  static final int INPUT = 1;
  static final int OUTPUT = 2;

  private final String label;
  private final Syntax syntax;
  private final ArrivalUnit arrivalUnit;
  private final int blockTokens;

  @SuppressWarnings("ImmutableEnumChecker") // List.of is immutable
  private final List<String> required;

  TraceFormat(
      String label, Syntax syntax, ArrivalUnit arrivalUnit, int blockTokens, String... required) {
    this.label = label;
    this.syntax = syntax;
    this.arrivalUnit = arrivalUnit;
    this.blockTokens = blockTokens;
    this.required = List.of(required);
  }

  /** The name on a command line, as in {@code --format mooncake}. */
  public String label() {
    return label;
  }

  /**
   * Finds a format by its label.
   *
   * @param label as {@link #label()} gives it; {@code canonical} is {@link #HEADWAY}
   * @return the format
   * @throws IllegalArgumentException if there is no such format; the message lists them
   */
  public static TraceFormat ofLabel(String label) {
    for (TraceFormat format : values()) {
      if (format.label.equals(label)) {
        return format;
      }
    }
    if (label.equals(WrittenFormat.CANONICAL.label())) {
      return HEADWAY;
    }
    final List<String> known = Arrays.stream(values()).map(TraceFormat::label).toList();
    throw new IllegalArgumentException(
        "trace format must be one of "
            + String.join(", ", known)
            + ": format="
            + label
            + NearestName.hint(label, known));
  }

  Syntax syntax() {
    return syntax;
  }

  ArrivalUnit arrivalUnit() {
    return arrivalUnit;
  }

  /** Whether arrivals become relative to the earliest, since their zero is not the trace's. */
  boolean isRelative() {
    return arrivalUnit == ArrivalUnit.DATE_TIME || this == BURSTGPT || this == LLMSERVINGSIM_RUN;
  }

  /** Whether rows have names, tenants and priorities of their own. */
  boolean isNamed() {
    return this == HEADWAY || this == MEASURED || this == TRACEV2 || this == LLMSERVINGSIM_RUN;
  }

  /** Tokens per block of {@code hash_ids}; 0 where the format has none. */
  int blockTokens() {
    return blockTokens;
  }

  /** Columns that must be there; a name may list aliases, separated by {@code |}. */
  List<String> required() {
    return required;
  }

  /** Those required columns that are not among the given ones. */
  List<String> missingFrom(Collection<String> columns) {
    return required.stream().filter(name -> present(name, columns) == null).toList();
  }

  /** Which alias of a required column is there, or null. */
  static @Nullable String present(String names, Collection<String> columns) {
    for (String alias : names.split("\\|", -1)) {
      if (columns.contains(alias)) {
        return alias;
      }
    }
    return null;
  }

  /** How the rows are written. */
  enum Syntax {
    CSV,
    JSONL,
    JSON
  }

  /** What an arrival column counts. */
  enum ArrivalUnit {
    DATE_TIME,
    SECONDS,
    MILLIS,
    MICROS,
    NANOS,
    NONE
  }
}
