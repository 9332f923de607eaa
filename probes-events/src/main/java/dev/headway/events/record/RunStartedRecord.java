package dev.headway.events.record;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.probe.RunInfo;
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
 * 24  schemaMinor       i16
 * 26  level             i8   0 summary, 1 full, 2 debug (since minor 1)
 * 27  virtualTime       i8   0 or 1
 * 28  anchorUnixEpochNs i64
 * 36  anchorMonotonicNs i64
 * 44  anchorErrorNs     i64
 * 52  blockSize         i32  tokens per KV block
 * 56  numBlocks         i32  the null block included
 * 60  bytesPerBlock     i64  0 when not known
 * 68  headwayVersion    text
 *  …  labels                 see {@link Labels}
 *  …  config            i32  count, then name text and value text, count times
 *  …  attributes        i32  count, then name text and value text, count times, by name
 * </pre>
 */
public final class RunStartedRecord {

  static final long MAGIC = 0x4A594157_44414548L;

  private static final String[] LEVELS = {"summary", "full", "debug"};

  private RunStartedRecord() {}

  /**
   * Writes the record.
   *
   * @param level {@code summary}, {@code full} or {@code debug}
   * @throws IllegalArgumentException if the attributes do not fit into a record
   */
  public static void encode(RecordBuffer out, RunInfo run, String level) {
    out.begin(RecordType.RUN_STARTED)
        .putLong(MAGIC)
        .putShort(RecordType.SCHEMA_MINOR)
        .putByte(List.of(LEVELS).indexOf(level))
        .putByte(run.virtualTime() ? 1 : 0)
        .putLong(run.anchor().unixEpochNs())
        .putLong(run.anchor().monotonicNs())
        .putLong(run.anchor().errorNs())
        .putInt(run.kvCache().blockSize())
        .putInt(run.kvCache().numBlocks())
        .putLong(run.kvCache().bytesPerBlock())
        .putText(run.headwayVersion());
    Labels.encode(out);
    encode(out, settings(run));
    encode(out, new TreeMap<>(run.attributes()));
  }

  /** Whether the record at {@code in} is a start record of any version. */
  public static boolean isAt(RecordCursor in) {
    return in.type() == RecordType.RUN_STARTED && in.longAt(16) == MAGIC;
  }

  /** Reads the words that the codes of the following records stand for. */
  static Labels decode(RecordCursor in, JournalVisitor visitor) {
    in.seek(68);
    final String version = in.nextText();
    final Labels labels = Labels.decode(in);
    final Map<String, String> config = decodeMap(in);
    final Map<String, String> attributes = decodeMap(in);
    visitor.onRunStarted(
        new JournalVisitor.RunHeader(
            in.schemaVersion(),
            version,
            LEVELS[Math.min(LEVELS.length - 1, in.byteAt(26))],
            in.byteAt(27) != 0,
            in.longAt(28),
            in.longAt(36),
            in.longAt(44),
            in.intAt(52),
            in.intAt(56),
            in.longAt(60),
            config,
            attributes));
    return labels;
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
    put(settings, "lonePrefill", config.lonePrefill());
    put(settings, "queuePolicy", config.queuePolicy());
    put(settings, "displacement", config.displacement().mode());
    put(settings, "prefixCaching", config.prefixCaching());
    put(settings, "prefixRetention", config.prefixCache().retention().kind());
    if (config.kvOffload().hostBlocks() > 0) {
      put(settings, "hostBlocks", config.kvOffload().hostBlocks());
    }
    put(settings, "fullSequenceGate", config.admission().fullSequenceGate());
    put(settings, "watermark", config.admission().watermark());
    put(settings, "maxLoras", config.maxLoras());
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
