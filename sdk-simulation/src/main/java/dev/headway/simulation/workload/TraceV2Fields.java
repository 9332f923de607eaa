package dev.headway.simulation.workload;

import dev.headway.toolbox.csv.WholeNumber;
import org.jspecify.annotations.Nullable;

/**
 * A row of a BLIS trace under the names of Headway's own columns, by the rules of BLIS's replay.
 */
final class TraceV2Fields implements RowAssembler.Fields {
  private final RowAssembler.Fields row;
  private final long prefixTokens;

  TraceV2Fields(RowAssembler.Fields row) {
    this.row = row;
    final String group = row.text("prefix_group");
    this.prefixTokens = group == null || group.isBlank() ? 0 : positive("prefix_length");
  }

  @Override
  public long line() {
    return row.line();
  }

  @Override
  public @Nullable String text(String column) {
    return switch (column) {
      case "arrival_time_us" ->
          positive("send_time_us") > 0 ? row.text("send_time_us") : row.text(column);
      case "input_tokens" -> inputTokens();
      case "prefix_group" -> prefixTokens == 0 ? null : row.text(column);
      case "prefix_tokens" -> prefixTokens == 0 ? null : String.valueOf(prefixTokens);
      case "tenant" -> row.text("tenant_id");
      case "priority" -> row.text("vllm_priority");
      case "session_id" -> null; // every row has its time
      default -> row.text(column);
    };
  }

  private @Nullable String inputTokens() {
    final String group = row.text("prefix_group");
    final boolean grouped = group != null && !group.isBlank();
    final long measured = grouped ? 0 : positive("server_input_tokens");
    final String own = row.text("input_tokens");
    if (measured > 0) {
      return String.valueOf(measured);
    }
    final Long tokens = prefixTokens > 0 ? WholeNumber.clamped(own) : null;
    return tokens == null || tokens < 0 || tokens > WorkloadRequest.MAX_TOKENS
        ? own
        : String.valueOf(prefixTokens + tokens);
  }

  /** A number above 0, or 0 where there is none; what is no number is refused where it is used. */
  private long positive(String column) {
    final Long value = WholeNumber.clamped(row.text(column));
    return value == null || value < 0 || value == Long.MAX_VALUE ? 0 : value;
  }

  @Override
  public int[] hashIds() {
    return row.hashIds();
  }
}
