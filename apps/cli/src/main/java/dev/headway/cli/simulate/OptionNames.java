package dev.headway.cli.simulate;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The library's option names, as this command line spells them. */
public final class OptionNames {

  private static final Map<String, String> WRITTEN = new LinkedHashMap<>();

  static {
    WRITTEN.put("maxNumBatchedTokens", "--max-num-batched-tokens");
    WRITTEN.put("maxNumSeqs", "--max-num-seqs");
    WRITTEN.put("maxModelLen", "--max-model-len");
    WRITTEN.put("longPrefillTokenThreshold", "--long-prefill-token-threshold");
    WRITTEN.put("chunkedPrefill is DISABLED", "--no-chunked-prefill is given");
    WRITTEN.put("blockSize", "--block-size");
    WRITTEN.put("numBlocks", "--num-blocks");
    WRITTEN.put("hostBlocks", "--num-host-blocks");
    WRITTEN.put("maxNumScheduledTokens", "--max-num-scheduled-tokens");
    WRITTEN.put("maxNumActiveSeqs", "--max-num-active-seqs");
    WRITTEN.put("prefillScheduleInterval", "--prefill-schedule-interval");
    WRITTEN.put(
        "displacement needs queuePolicy PRIORITY", "--displacement needs --policy priority");
    WRITTEN.put("minPriorityGap", "--displacement-gap");
    WRITTEN.put("minStepsBetween", "--displacement-steps");
    WRITTEN.put("maxNumQueuedReqs", "--max-num-queued-reqs");
    WRITTEN.put("maxNumQueuedTokens", "--max-num-queued-tokens");
    WRITTEN.put("numSpeculativeTokens", "--num-speculative-tokens");
    WRITTEN.put(": method=", ": --speculative-method=");
    WRITTEN.put("kvCacheBytes=0, ", "");
    WRITTEN.put("prefixCaching ENABLED and compatibility HEADWAY", "shared blocks");
    WRITTEN.put("prefixCaching=DISABLED, compatibility=HEADWAY", "--no-prefix-caching is given");
  }

  private static final Pattern WATERMARK = Pattern.compile("(?<![-\\w])watermark(?= must|=)");

  /** The record of displacement in a message, where the user has only said that he wants it. */
  private static final Pattern DISPLACEMENT =
      Pattern.compile("displacement=Displacement\\[[^]]*], queuePolicy=(\\w+)");

  private OptionNames() {}

  /** Returns a message of the library with the options as the user writes them. */
  public static String asWritten(@Nullable String message) {
    String result = String.valueOf(message);
    for (Map.Entry<String, String> name : WRITTEN.entrySet()) {
      result = result.replace(name.getKey(), name.getValue());
    }
    result = WATERMARK.matcher(result).replaceAll("--watermark");
    return DISPLACEMENT
        .matcher(result)
        .replaceAll(found -> "--policy=" + found.group(1).toLowerCase(Locale.ROOT));
  }
}
