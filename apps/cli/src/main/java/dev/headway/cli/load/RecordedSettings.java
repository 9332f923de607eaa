package dev.headway.cli.load;

import dev.headway.events.record.RunStartedRecord;
import dev.headway.probes.chronicle.JournalSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The engine's settings in a journal, as options of the command line: what a run of the recorded
 * load takes where the command line says nothing. Stateless.
 */
public final class RecordedSettings {

  private RecordedSettings() {}

  /**
   * The settings of a journal.
   *
   * @return values by option name without dashes, {@code true} for one that has no value; empty if
   *     {@code load} is no journal
   * @throws IOException if the journal cannot be read
   */
  public static Map<String, String> of(String load) throws IOException {
    if (!Files.isDirectory(Path.of(load)) || !JournalSource.isJournal(Path.of(load))) {
      return Map.of();
    }
    return of(JournalRows.run(Path.of(load)));
  }

  private static Map<String, String> of(RunStartedRecord run) {
    final Map<String, String> config = run.config();
    final Map<String, String> options = new LinkedHashMap<>();
    put(options, config, "max-num-seqs", "maxNumSeqs");
    put(options, config, "max-num-batched-tokens", "maxNumBatchedTokens");
    put(options, config, "max-model-len", "maxModelLen");
    put(options, config, "max-num-scheduled-tokens", "maxNumScheduledTokens");
    put(options, config, "max-num-active-seqs", "maxNumActiveSeqs");
    options.remove("max-num-scheduled-tokens", config.get("maxNumBatchedTokens")); // follows it
    options.remove("max-num-active-seqs", config.get("maxNumSeqs"));
    put(options, config, "long-prefill-token-threshold", "longPrefillTokenThreshold");
    put(options, config, "prefill-schedule-interval", "prefillScheduleInterval");
    put(options, config, "watermark", "watermark");
    put(options, config, "num-host-blocks", "hostBlocks");
    flag(options, config, "no-chunked-prefill", "chunkedPrefill", "DISABLED");
    flag(options, config, "no-prefix-caching", "prefixCaching", "DISABLED");
    flag(options, config, "no-full-sequence-gate", "fullSequenceGate", "NEXT_CHUNK");
    flag(options, config, "displacement", "displacement", "ON");
    flag(options, config, "async-scheduling", "maxStepsInFlight", "2");
    options.put("block-size", String.valueOf(run.blockSize()));
    options.put("num-blocks", String.valueOf(run.numBlocks()));
    if ("PRIORITY".equals(config.get("queuePolicy"))) {
      options.put("policy", "priority");
    }
    return options;
  }

  private static void put(
      Map<String, String> options, Map<String, String> config, String option, String name) {
    final String value = config.get(name);
    if (value != null) {
      options.put(option, value);
    }
  }

  private static void flag(
      Map<String, String> options,
      Map<String, String> config,
      String option,
      String name,
      String value) {
    if (value.equals(config.get(name))) {
      options.put(option, "true");
    }
  }
}
