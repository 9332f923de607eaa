package dev.headway.simulation.workload;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The trace formats that {@link TraceReaders} understands. Columns are found by name, in any order;
 * unknown columns are passed over.
 */
public enum TraceFormat {
  /** Recognised by the columns of the header, or by the keys of the first JSON object. */
  AUTO("auto", Syntax.CSV, ArrivalUnit.NANOS, 0),

  /**
   * Azure LLM inference traces of 2023 and 2024: {@code TIMESTAMP,ContextTokens,GeneratedTokens}.
   * Times are dates, taken as UTC where no zone is written; they become relative to the earliest.
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
   * Mooncake JSONL: {@code timestamp} in milliseconds (a fraction is kept to the nanosecond),
   * {@code input_length} or {@code input_tokens}, {@code output_length} or {@code output_tokens},
   * optional {@code hash_ids} of 512-token prefix blocks.
   */
  MOONCAKE(
      "mooncake",
      Syntax.JSONL,
      ArrivalUnit.MILLIS,
      512,
      "timestamp",
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
   * Headway's own CSV: {@code arrival_ns, input_tokens, output_tokens, request_id} and, optional,
   * {@code tenant, priority, prefix_group, prefix_tokens}. Requests of one prefix group share their
   * first {@code prefix_tokens} tokens.
   */
  HEADWAY(
      "headway",
      Syntax.CSV,
      ArrivalUnit.NANOS,
      0,
      "arrival_ns",
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

  /** The name on a command line: {@code auto, azure, mooncake, llmservingsim, vidur, headway}. */
  public String label() {
    return label;
  }

  /**
   * Finds a format by its label.
   *
   * @param label as {@link #label()} gives it
   * @return the format
   * @throws IllegalArgumentException if there is no such format; the message lists them
   */
  public static TraceFormat ofLabel(String label) {
    for (TraceFormat format : values()) {
      if (format.label.equals(label)) {
        return format;
      }
    }
    final String known =
        Arrays.stream(values()).map(TraceFormat::label).collect(Collectors.joining(", "));
    throw new IllegalArgumentException(
        "trace format must be one of " + known + ": format=" + label);
  }

  Syntax syntax() {
    return syntax;
  }

  ArrivalUnit arrivalUnit() {
    return arrivalUnit;
  }

  /** Whether arrivals are dates, which become relative to the earliest. */
  boolean isDated() {
    return arrivalUnit == ArrivalUnit.DATE_TIME;
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
    JSONL
  }

  /** What an arrival column counts. */
  enum ArrivalUnit {
    DATE_TIME,
    SECONDS,
    MILLIS,
    NANOS
  }
}
