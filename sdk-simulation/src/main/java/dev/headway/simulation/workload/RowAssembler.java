package dev.headway.simulation.workload;

import dev.headway.toolbox.csv.WholeNumber;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Makes a request of the named texts of one row; the same for every format. */
final class RowAssembler {
  /** More shared prefixes than this are not a trace but an attack on memory. */
  static final int MAX_PREFIX_GROUPS = 1 << 16;

  private static final int[] NO_BLOCKS = {};

  private final TraceFormat format;
  private final CellParser cells;
  private final SessionTimes sessions;
  private final Map<String, Integer> prefixGroups = new HashMap<>();
  private long rows;

  RowAssembler(TraceFormat format, CellParser cells) {
    this.format = format;
    this.cells = cells;
    this.sessions = new SessionTimes(cells);
  }

  /** What a row offers: texts by column name, and block ids where the syntax has lists. */
  interface Fields {
    long line();

    @Nullable String text(String column);

    int[] hashIds();
  }

  TraceRow assemble(Fields row) {
    final Fields fields = format == TraceFormat.TRACEV2 ? new TraceV2Fields(row) : row;
    final long line = fields.line();
    final String inputColumn = column(fields, TraceFormat.INPUT);
    final String outputColumn = column(fields, TraceFormat.OUTPUT);
    final long arrivalNs = arrivalNs(fields);
    final String generatedId = format.label() + "-" + rows++;
    if (isBlank(fields.text(inputColumn)) || isBlank(fields.text(outputColumn))) {
      return TraceRow.leftOut(line, arrivalNs, LeftOut.NO_NUMBER);
    }
    final int input = cells.tokens(line, inputColumn, fields.text(inputColumn), 0);
    final int output = cells.tokens(line, outputColumn, fields.text(outputColumn), 0);
    if (input == 0 || output == 0) {
      return TraceRow.leftOut(line, arrivalNs, input == 0 ? LeftOut.NO_INPUT : LeftOut.NO_OUTPUT);
    }
    final String error = fields.text("error");
    if (error != null && !error.isBlank()) {
      return TraceRow.leftOut(line, arrivalNs, LeftOut.FAILED);
    }
    return TraceRow.of(
        line,
        format.isNamed()
            ? ownRequest(fields, arrivalNs, input, output)
            : foreignRequest(fields, generatedId, arrivalNs, input, output));
  }

  /** Whether a cell is there and empty; one that is missing is an error. */
  private static boolean isBlank(@Nullable String text) {
    return text != null && text.isBlank();
  }

  private long arrivalNs(Fields fields) {
    final String column = column(fields, TraceFormat.ARRIVAL);
    final String text = fields.text(column);
    final long arrivalNs =
        text == null && fields.text("session_id") != null
            ? sessions.laterTurnNs(fields)
            : cells.arrivalNs(fields.line(), column, text, format.arrivalUnit());
    sessions.arrived(fields, arrivalNs);
    return arrivalNs;
  }

  private String column(Fields fields, int index) {
    final String names = format.required().get(index);
    for (String alias : names.split("\\|", -1)) {
      if (fields.text(alias) != null) {
        return alias;
      }
    }
    return names;
  }

  private WorkloadRequest foreignRequest(
      Fields fields, String requestId, long arrivalNs, int input, int output) {
    final int[] ids = fields.hashIds();
    final int blockTokens = ids.length == 0 ? 0 : format.blockTokens();
    final long mostBlocks = blockTokens == 0 ? 0 : Math.ceilDiv(input, blockTokens);
    if (ids.length > mostBlocks) {
      throw cells.unreadable(
          fields.line(),
          "hash_ids",
          ids.length + " ids",
          "must be at most %d blocks of %d tokens for %d input tokens"
              .formatted(mostBlocks, blockTokens, input));
    }
    return new WorkloadRequest(requestId, arrivalNs, input, output, ids, blockTokens, null, 0);
  }

  private WorkloadRequest ownRequest(Fields fields, long arrivalNs, int input, int output) {
    final String requestId = name(fields, "request_id");
    if (requestId == null) {
      throw cells.unreadable(
          fields.line(), "request_id", fields.text("request_id"), "must not be blank");
    }
    final int[] listed = listedBlocks(fields);
    final int prefixTokens = listed.length == 0 ? prefixTokens(fields, input) : 0;
    final int[] blocks =
        listed.length > 0
            ? listed
            : prefixTokens == 0 ? NO_BLOCKS : new int[] {prefixGroup(fields)};
    final int blockTokens =
        listed.length > 0 ? listedBlockTokens(fields, listed.length, input) : prefixTokens;
    return new WorkloadRequest(
        requestId,
        arrivalNs,
        input,
        output,
        blocks,
        blockTokens,
        name(fields, "tenant"),
        priority(fields));
  }

  private int priority(Fields fields) {
    final String text = fields.text("priority");
    return text == null || text.isBlank()
        ? 0
        : (int)
            cells.integer(fields.line(), "priority", text, Integer.MIN_VALUE, Integer.MAX_VALUE);
  }

  private int[] listedBlocks(Fields fields) {
    final String text = format == TraceFormat.HEADWAY ? fields.text("prefix_blocks") : null;
    if (text == null || text.isBlank()) {
      return NO_BLOCKS;
    }
    if (name(fields, "prefix_group") != null) {
      throw cells.unreadable(
          fields.line(), "prefix_blocks", text, "must not be given together with prefix_group");
    }
    return Arrays.stream(text.strip().split(" +", -1))
        .mapToInt(
            id -> (int) cells.integer(fields.line(), "prefix_blocks", id, 0, Integer.MAX_VALUE))
        .toArray();
  }

  private int listedBlockTokens(Fields fields, int blocks, int input) {
    final int tokens =
        cells.tokens(fields.line(), "prefix_block_tokens", fields.text("prefix_block_tokens"), 1);
    if ((blocks - 1L) * tokens >= input) {
      throw cells.unreadable(
          fields.line(),
          "prefix_blocks",
          blocks + " ids",
          "must be at most %d blocks of %d tokens for %d input tokens"
              .formatted(Math.ceilDiv(input, tokens), tokens, input));
    }
    return tokens;
  }

  /** A prefix group is one block, as long as the shared prefix, whose id identifies the group. */
  private int prefixTokens(Fields fields, int input) {
    final String text = fields.text("prefix_tokens");
    final boolean hasGroup = name(fields, "prefix_group") != null;
    final boolean hasTokens =
        text != null && !text.isBlank() && !Objects.equals(WholeNumber.clamped(text), 0L);
    final boolean groupOnly = hasGroup && !hasTokens && format == TraceFormat.MEASURED;
    if (groupOnly || (!hasGroup && !hasTokens)) {
      return 0;
    }
    if (!hasGroup) {
      throw cells.unreadable(
          fields.line(), "prefix_group", "", "must be given together with prefix_tokens");
    }
    return (int) cells.integer(fields.line(), "prefix_tokens", text, 1, input);
  }

  private int prefixGroup(Fields fields) {
    final String group = Objects.requireNonNull(name(fields, "prefix_group"), "prefix_group");
    final int id = prefixGroups.getOrDefault(group, prefixGroups.size());
    if (id >= MAX_PREFIX_GROUPS) {
      throw cells.unreadable(
          fields.line(),
          "prefix_group",
          group,
          "must be one of at most " + MAX_PREFIX_GROUPS + " groups");
    }
    prefixGroups.put(group, id);
    return id;
  }

  private @Nullable String name(Fields fields, String column) {
    final String written = fields.text(column);
    if (written == null || written.isBlank()) {
      return null;
    }
    final String text =
        format.syntax() == TraceFormat.Syntax.JSONL ? JsonRows.unquoted(written) : written;
    if (text.length() > WorkloadRequest.MAX_NAME_LENGTH) {
      throw cells.unreadable(
          fields.line(),
          column,
          text,
          "must not be longer than " + WorkloadRequest.MAX_NAME_LENGTH + " characters");
    }
    return text.strip();
  }
}
