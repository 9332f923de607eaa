package dev.headway.cli.command;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The library's option names, as the command line spells them. */
public final class OptionNames {

  /** Names that are not the option's own in camel case. */
  private static final Map<String, String> OTHERS = new LinkedHashMap<>();

  static {
    OTHERS.put("chunkedPrefill is DISABLED", "--no-chunked-prefill is given");
    OTHERS.put("hostBlocks", "--num-host-blocks");
    OTHERS.put("kvBlocks", "--num-blocks");
    OTHERS.put("kvCacheType BF16", "--kv-cache-dtype bfloat16");
    OTHERS.put("precision QUANTIZED", "--precision quantized");
    OTHERS.put("precision BFLOAT16", "--precision bfloat16");
    OTHERS.put("memoryUtilization", "--gpu-memory-utilization");
    OTHERS.put("displacement needs queuePolicy PRIORITY", "--displacement needs --policy priority");
    OTHERS.put("minPriorityGap", "--displacement-gap");
    OTHERS.put("minStepsBetween", "--displacement-steps");
    OTHERS.put(": method=", ": --speculative-method=");
    OTHERS.put("kvCacheBytes=0, ", "");
    OTHERS.put("prefixCache enabled and compatibility HEADWAY", "shared blocks");
    OTHERS.put(
        "prefixCache=PrefixCacheOptions[disabled], compatibility=HEADWAY",
        "--no-prefix-caching is given");
  }

  private static final Pattern WORD_START = Pattern.compile("-(.)");

  /** The record of displacement in a message, where the command line only asks for it. */
  private static final Pattern DISPLACEMENT =
      Pattern.compile("displacement=Displacement\\[[^]]*], queuePolicy=(\\w+)");

  private OptionNames() {}

  /**
   * Returns a text of the library with options of the JVM where a user of the program puts them.
   */
  public static String ofTheJvm(String text) {
    return text.replace("the JVM option -D", "HEADWAY_OPTS=-D");
  }

  /** Returns a message of the library with the options of {@code spec} as the user writes them. */
  public static String asWritten(@Nullable String message, CommandSpec spec) {
    String result = ofTheJvm(String.valueOf(message));
    for (Map.Entry<String, String> name : OTHERS.entrySet()) {
      result = result.replace(name.getKey(), name.getValue());
    }
    result =
        DISPLACEMENT
            .matcher(result)
            .replaceAll(found -> "--policy=" + found.group(1).toLowerCase(Locale.ROOT));
    for (OptionSpec option : spec.options()) {
      final String flag = option.longestName();
      final String name =
          WORD_START
              .matcher(flag.replaceFirst("^-+", ""))
              .replaceAll(start -> start.group(1).toUpperCase(Locale.ROOT));
      // a single word may mean anything, unless something is said of its value
      final String end = flag.indexOf('-', 2) > 0 ? "(?!\\w)" : "(?= must|=)";
      result = result.replaceAll("(?<![-\\w/])" + name + end, flag);
    }
    return result;
  }
}
