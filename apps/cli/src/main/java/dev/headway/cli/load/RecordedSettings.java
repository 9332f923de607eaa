package dev.headway.cli.load;

import dev.headway.api.policy.PolicySpec;
import dev.headway.events.record.RunStartedRecord;
import dev.headway.probes.chronicle.JournalSource;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The engine's settings in a journal, or beside the requests of a server that was recorded: what a
 * run of the recorded load takes where the command line says nothing. Immutable.
 *
 * @param from what has them, in words
 * @param options values by option name without dashes, {@code true} for one that has no value;
 *     empty if the load has none
 * @param ofModel the same of options that need a {@code --model}
 * @param notTaken recorded settings that no option has, by their name in the record; only those
 *     that differ from what a run has without them
 * @param ranOn the model, device and step times of the recorded run, as far as it says: a run of
 *     the load takes its own
 */
public record RecordedSettings(
    String from,
    Map<String, String> options,
    Map<String, String> ofModel,
    Map<String, String> notTaken,
    Map<String, String> ranOn) {

  /** Those of a load that has none. */
  public static final RecordedSettings NONE =
      new RecordedSettings("the load", Map.of(), Map.of(), Map.of(), Map.of());

  private static final String JOURNAL = "the journal";

  private static final String POLICY = "policy";
  private static final List<String> OF_THE_DEVICE = List.of("model", "hardware", "latency_model");

  /** What settings without an option are in every run of a command. */
  private static final Map<String, String> FIXED =
      Map.of(
          "lonePrefill", "CAPPED",
          "prefixRetention", "BOUNDARIES",
          "compatibility", "HEADWAY");

  /**
   * The settings of a load.
   *
   * @return {@link #NONE} if {@code load} is neither a journal nor a run that {@link
   *     RecordedServer} reads
   * @throws IOException if they cannot be read
   */
  public static RecordedSettings of(String load) throws IOException {
    final Path path = Path.of(load);
    if (Files.isDirectory(path) && JournalSource.isJournal(path)) {
      return of(JournalRows.run(path));
    }
    return RecordedServer.settings(path);
  }

  /**
   * These where a {@code --model} is given: its options among the others; or where none is: what
   * they say among what the recorded run ran on.
   */
  public RecordedSettings with(boolean isModelGiven) {
    final Map<String, String> more = new LinkedHashMap<>(isModelGiven ? options : ranOn);
    more.putAll(ofModel);
    return new RecordedSettings(
        from, isModelGiven ? more : options, Map.of(), notTaken, isModelGiven ? ranOn : more);
  }

  /** These with other options. */
  public RecordedSettings withOptions(Map<String, String> others) {
    return new RecordedSettings(from, others, ofModel, notTaken, ranOn);
  }

  private static RecordedSettings of(RunStartedRecord run) {
    final Map<String, String> notTaken = new TreeMap<>();
    FIXED.forEach(
        (name, always) -> {
          final String value = run.config().getOrDefault(name, always);
          if (!value.equals(always)) {
            notTaken.put(name, value);
          }
        });
    final Map<String, String> options = options(run);
    final String policy = options.getOrDefault(POLICY, "");
    if (!isReadable(policy)) { // made by a program, with values that no command line can give
      notTaken.put(POLICY, options.remove(POLICY));
    }
    final Map<String, String> ranOn = new LinkedHashMap<>();
    for (String name : OF_THE_DEVICE) {
      put(ranOn, run.attributes(), name, name);
    }
    return new RecordedSettings(JOURNAL, options, Map.of(), notTaken, ranOn);
  }

  private static boolean isReadable(String policy) {
    try {
      PolicySpec.parse(policy);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static Map<String, String> options(RunStartedRecord run) {
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
    put(options, config, "max-num-partial-prefills", "maxNumPartialPrefills");
    put(options, config, "max-long-partial-prefills", "maxLongPartialPrefills");
    if (!"0".equals(config.get("maxLoras"))) {
      put(options, config, "max-loras", "maxLoras");
    }
    putSeconds(options, config, "lora-drain-wait-threshold", "loraDrainWaitThresholdNs");
    put(options, config, "prefill-schedule-interval", "prefillScheduleInterval");
    put(options, config, "watermark", "watermark");
    put(options, config, "num-host-blocks", "hostBlocks");
    put(options, config, "max-num-queued-reqs", "maxNumQueuedReqs");
    put(options, config, "max-num-queued-tokens", "maxNumQueuedTokens");
    flag(options, config, "no-chunked-prefill", "chunkedPrefill", "DISABLED");
    flag(options, config, "no-prefix-caching", "prefixCaching", "DISABLED");
    flag(options, config, "no-full-sequence-gate", "fullSequenceGate", "NEXT_CHUNK");
    flag(options, config, "displacement", "displacement", "ON");
    put(options, config, "displacement-gap", "minPriorityGap");
    put(options, config, "displacement-steps", "minStepsBetween");
    flag(options, config, "async-scheduling", "maxStepsInFlight", "2");
    options.put("block-size", String.valueOf(run.blockSize()));
    options.put("num-blocks", String.valueOf(run.numBlocks()));
    putSpeculation(options, run);
    putPolicy(options, run);
    return options;
  }

  private static void putSpeculation(Map<String, String> options, RunStartedRecord run) {
    final String method = run.config().getOrDefault("speculativeMethod", "NONE");
    if (!method.equals("NONE")) {
      options.put("speculative-method", method.toLowerCase(Locale.ROOT));
      put(options, run.config(), "num-speculative-tokens", "numSpeculativeTokens");
      put(options, run.attributes(), "draft-acceptance", "draft_acceptance");
      if (options.containsKey("draft-acceptance")) { // simulated drafts, which are drawn
        put(options, run.attributes(), "seed", "seed");
      }
    }
  }

  private static void putPolicy(Map<String, String> options, RunStartedRecord run) {
    final String order = "PRIORITY".equals(run.config().get("queuePolicy")) ? "priority" : "";
    final String policy =
        Stream.of(order, run.attributes().getOrDefault("policies", ""))
            .filter(part -> !part.isEmpty())
            .collect(Collectors.joining("+"));
    if (!policy.isEmpty()) {
      options.put(POLICY, policy);
    }
  }

  private static void put(
      Map<String, String> options, Map<String, String> config, String option, String name) {
    final String value = config.get(name);
    if (value != null) {
      options.put(option, value);
    }
  }

  private static void putSeconds(
      Map<String, String> options, Map<String, String> config, String option, String name) {
    final String ns = config.get(name);
    if (ns != null) {
      options.put(option, new BigDecimal(ns).movePointLeft(9).toPlainString());
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
