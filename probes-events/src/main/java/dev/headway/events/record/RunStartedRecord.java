package dev.headway.events.record;

import dev.headway.api.config.Displacement;
import dev.headway.api.config.QueueLimits;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.probe.RunInfo;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * RUN_STARTED, type 1: what was known of the run before its first step. Always the first record; a
 * file without it is no journal.
 *
 * <pre>
 * 16  magic             i64  "HEADWAYJ" in ASCII
 * 24  runId             i64  the checksums of all records cover it; since 2.0, what follows was at 24
 * 32  schemaMinor       i16
 * 34  level             i8   0 summary, 1 full, 2 debug (since 1.1)
 * 35  virtualTime       i8   0 or 1
 * 36  anchorUnixEpochNs i64
 * 44  anchorMonotonicNs i64
 * 52  anchorErrorNs     i64
 * 60  blockSize         i32  tokens per KV block
 * 64  numBlocks         i32  the null block included
 * 68  bytesPerBlock     i64  0 when not known
 * 76  headwayVersion    text
 *  …  labels                 see {@link Labels}
 *  …  config            i32  count, then name text and value text, count times
 *  …  attributes        i32  count, then name text and value text, count times, by name
 * </pre>
 *
 * @param schemaVersion version of the record layouts
 * @param headwayVersion version of the library that wrote it
 * @param level {@code summary}, {@code full} or {@code debug}
 * @param virtualTime whether time was simulated
 * @param anchorUnixEpochNs calendar time of {@code anchorMonotonicNs}
 * @param anchorMonotonicNs reading of the run's clock at that moment
 * @param anchorErrorNs half the bracket of that pair
 * @param blockSize tokens per KV block
 * @param numBlocks KV blocks, the null block included
 * @param bytesPerBlock memory of a block, 0 when not known
 * @param config the scheduler's settings by name, in order
 * @param attributes what the embedder added, in order
 */
public record RunStartedRecord(
    int schemaVersion,
    String headwayVersion,
    String level,
    boolean virtualTime,
    long anchorUnixEpochNs,
    long anchorMonotonicNs,
    long anchorErrorNs,
    int blockSize,
    int numBlocks,
    long bytesPerBlock,
    Map<String, String> config,
    Map<String, String> attributes) {

  /** A start record is not shorter. */
  public static final int MIN_BYTES = 36;

  static final long MAGIC = 0x4A594157_44414548L;

  private static final int RUN_ID_OFFSET = 24;
  private static final String[] LEVELS = {"summary", "full", "debug"};

  /**
   * Writes the record.
   *
   * @param level {@code summary}, {@code full} or {@code debug}
   * @return the run's id: random, but in virtual time a function of the record, so that equal runs
   *     make equal bytes
   * @throws IllegalArgumentException if the attributes do not fit into a record
   */
  public static long encode(RecordBuffer out, RunInfo run, String level) {
    out.begin(RecordType.RUN_STARTED)
        .putLong(MAGIC)
        .putLong(0)
        .putShort(RecordType.SCHEMA_MINOR)
        .putByte(List.of(LEVELS).indexOf(level))
        .putByte(run.virtualTime() ? 1 : 0)
        .putLong(run.anchor().unixEpochNs())
        .putLong(run.anchor().monotonicNs())
        .putLong(run.anchor().errorNs())
        .putInt(run.kvCache().blockSize())
        .putInt(run.kvCache().numBlocks())
        .putLong(run.kvCache().bytesPerBlock().orElse(0))
        .putText(run.headwayVersion());
    Labels.encode(out);
    encode(out, settings(run));
    encode(out, new TreeMap<>(run.attributes()));
    final long runId = run.virtualTime() ? out.contentHash() : new SecureRandom().nextLong();
    RecordBuffer.I64.set(out.array(), RUN_ID_OFFSET, runId);
    return runId;
  }

  /** The record of a run's information, without its bytes. */
  public static RunStartedRecord of(RunInfo run, String level) {
    return new RunStartedRecord(
        RecordType.SCHEMA_VERSION,
        run.headwayVersion(),
        level,
        run.virtualTime(),
        run.anchor().unixEpochNs(),
        run.anchor().monotonicNs(),
        run.anchor().errorNs(),
        run.kvCache().blockSize(),
        run.kvCache().numBlocks(),
        run.kvCache().bytesPerBlock().orElse(0),
        settings(run),
        new TreeMap<>(run.attributes()));
  }

  /** Whether the record at {@code in} is a start record of any version. */
  public static boolean isAt(RecordCursor in) {
    return in.type() == RecordType.RUN_STARTED && in.longAt(16) == MAGIC;
  }

  /** Returns the run's id in an unverified start record; 0 in one of schema 1, which has none. */
  public static long runId(RecordCursor in) {
    return in.schemaVersion() < 2 ? 0 : in.longAt(RUN_ID_OFFSET);
  }

  /** Reads the words that the codes of the following records mean. */
  static Labels labels(RecordCursor in) {
    in.seek(68 + shift(in));
    in.skipText();
    return Labels.decode(in);
  }

  static RunStartedRecord decode(RecordCursor in) {
    final int shift = shift(in);
    in.seek(68 + shift);
    final String version = in.nextText();
    Labels.decode(in);
    final Map<String, String> config = decodeMap(in);
    final Map<String, String> attributes = decodeMap(in);
    return new RunStartedRecord(
        in.schemaVersion(),
        version,
        LEVELS[Math.min(LEVELS.length - 1, in.byteAt(26 + shift))],
        in.byteAt(27 + shift) != 0,
        in.longAt(28 + shift),
        in.longAt(36 + shift),
        in.longAt(44 + shift),
        in.intAt(52 + shift),
        in.intAt(56 + shift),
        in.longAt(60 + shift),
        config,
        attributes);
  }

  /** How much farther behind the figures are than in schema 1. */
  private static int shift(RecordCursor in) {
    return in.schemaVersion() < 2 ? 0 : Long.BYTES;
  }

  private static Map<String, String> settings(RunInfo run) {
    final SchedulerConfig config = run.config();
    final Map<String, String> settings = new LinkedHashMap<>();
    put(settings, "maxNumSeqs", config.limits().maxNumSeqs());
    put(settings, "maxNumBatchedTokens", config.limits().maxNumBatchedTokens());
    put(settings, "maxModelLen", config.limits().maxModelLen());
    put(settings, "maxNumScheduledTokens", config.maxNumScheduledTokens());
    put(settings, "maxNumActiveSeqs", config.maxNumActiveSeqs());
    put(settings, "chunkedPrefill", config.chunkedPrefill());
    put(settings, "longPrefillTokenThreshold", config.longPrefillTokenThreshold());
    if (config.maxNumPartialPrefills() > 0 || config.maxLongPartialPrefills() > 0) {
      put(settings, "maxNumPartialPrefills", config.maxNumPartialPrefills());
      put(settings, "maxLongPartialPrefills", config.maxLongPartialPrefills());
    }
    put(settings, "lonePrefill", config.lonePrefill());
    put(settings, "queuePolicy", config.queuePolicy());
    put(settings, "displacement", config.displacement().mode());
    if (config.displacement().mode() == Displacement.Mode.ON) {
      put(settings, "minPriorityGap", config.displacement().minPriorityGap());
      put(settings, "minStepsBetween", config.displacement().minStepsBetween());
    }
    put(settings, "prefixCaching", config.prefixCache().isEnabled() ? "ENABLED" : "DISABLED");
    if (config.prefixCache().residencySample() > 0) {
      put(settings, "residencySample", config.prefixCache().residencySample());
    }
    put(settings, "prefixRetention", config.prefixCache().retention().kind());
    if (config.kvOffload().hostBlocks() > 0) {
      put(settings, "hostBlocks", config.kvOffload().hostBlocks());
    }
    put(settings, "fullSequenceGate", config.admission().fullSequenceGate());
    put(settings, "watermark", config.admission().watermark());
    if (!config.queueLimits().equals(QueueLimits.NONE)) {
      put(settings, "maxNumQueuedReqs", config.queueLimits().maxNumQueuedReqs());
      put(settings, "maxNumQueuedTokens", config.queueLimits().maxNumQueuedTokens());
    }
    put(settings, "maxLoras", config.maxLoras());
    if (config.loraDrainWaitThresholdNs() > 0) {
      put(settings, "loraDrainWaitThresholdNs", config.loraDrainWaitThresholdNs());
    }
    if (config.encoder().isEnabled()) {
      put(settings, "maxItemEmbeddings", config.encoder().maxItemEmbeddings());
      put(settings, "maxNumEncoderInputTokens", config.encoder().computeBudget());
      put(settings, "encoderCacheSize", config.encoder().cacheSlots());
      put(settings, "chunkedMmInput", config.encoder().chunkedMmInput());
    }
    put(settings, "prefillScheduleInterval", config.prefillScheduleInterval());
    put(settings, "speculativeMethod", config.speculation().method());
    put(settings, "numSpeculativeTokens", config.speculation().numSpeculativeTokens());
    put(settings, "maxStepsInFlight", config.pipeline().maxStepsInFlight());
    put(settings, "compatibility", config.compatibility());
    put(settings, "executor", run.executor());
    return settings;
  }

  private static void put(Map<String, String> settings, String name, Object value) {
    settings.put(name, String.valueOf(value));
  }

  private static void encode(RecordBuffer out, Map<String, String> pairs) {
    out.putInt(pairs.size());
    pairs.forEach((name, value) -> out.putText(name).putText(value));
  }

  private static Map<String, String> decodeMap(RecordCursor in) {
    final Map<String, String> pairs = new LinkedHashMap<>();
    final int count = Labels.checkedCount(in);
    for (int index = 0; index < count; index++) {
      final String name = in.nextText();
      pairs.put(name, in.nextText());
    }
    return pairs;
  }
}
