package dev.headway.probes.csv.training;

import dev.headway.events.model.RunTimeline;
import dev.headway.events.record.RunStartedRecord;
import dev.headway.probes.csv.table.Table;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What is the same in all rows of a run, as columns: model, hardware, the engine's settings, the
 * embedder's attributes. Which there are is decided by the first run of a journal.
 */
final class RunColumns {

  private final Set<String> settings;
  private final Set<String> attributes;

  RunColumns(RunStartedRecord first) {
    settings = new TreeSet<>(first.config().keySet());
    attributes = new TreeSet<>(first.attributes().keySet());
  }

  /** Appends them to a table whose rows know their run. */
  <R> void append(Table.Builder<R> table, Function<R, RunTimeline> run) {
    table
        .text("model", "Attribute model of the run.", row -> attribute(run.apply(row), "model"))
        .text(
            "hardware",
            "Attribute hardware of the run.",
            row -> attribute(run.apply(row), "hardware"))
        .integer(
            "kv_block_size", "tokens", "Per KV block.", row -> run.apply(row).header().blockSize())
        .integer("kv_num_blocks", "blocks", "Usable.", row -> run.apply(row).usableBlocks())
        .integer(
            "kv_bytes_per_block",
            "bytes",
            "0 when not known.",
            row -> run.apply(row).header().bytesPerBlock());
    for (String name : settings) {
      table.text(
          "config_" + name,
          "Setting " + name + " of the engine.",
          row -> run.apply(row).header().config().get(name));
    }
    for (String name : attributes) {
      table.text(
          "attribute_" + name,
          "Attribute " + name + " of the run.",
          row -> attribute(run.apply(row), name));
    }
    table
        .text(
            "model_size",
            "Attribute model_size of the run: parameters of the model.",
            row -> attribute(run.apply(row), "model_size"))
        .text(
            "tp",
            "Attribute tensor_parallel_size of the run: devices that share each layer.",
            row -> attribute(run.apply(row), "tensor_parallel_size"));
  }

  private static @Nullable String attribute(RunTimeline run, String name) {
    return run.header().attributes().get(name);
  }
}
