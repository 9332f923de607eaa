package dev.headway.simulation.workload.generated;

import dev.headway.api.internal.NearestName;
import dev.headway.api.policy.PolicySpec;
import dev.headway.simulation.workload.MixedLoad;
import dev.headway.simulation.workload.SyntheticWorkload;
import dev.headway.simulation.workload.Workload;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/**
 * Made-up loads by name, with options in parentheses as a policy has them: {@code
 * chatbot(rate=30,requests=10000,seed=1)}.
 *
 * <p>Options of {@code generated, chatbot, contentgen, summarization, multidoc}, {@code random} and
 * {@code prefix_repetition}: {@code requests, seconds, seed, tenants}; {@code rate}, a number per
 * second or one of the forms of {@link #rateForms()}; {@code arrival}, one of {@code poisson,
 * constant, gamma:CV, weibull:CV}, or {@code burstiness}, the shape of gamma gaps; {@code
 * exact-mean=true} stretches the arrivals so that the last is at {@code requests / rate}. The first
 * five have {@code input} and {@code output}, tokens or one of {@link #lengthForms()}, {@code
 * prefix-groups} and {@code prefix-tokens}; {@code random} has {@code input-len, output-len,
 * range-ratio, prefix-len}; {@code prefix_repetition} has {@code prefix-len, suffix-len,
 * num-prefixes, output-len}. The names of the latter are those of {@code vllm bench serve}. {@code
 * generated-shared-prefix} has {@code num-groups, prompts-per-group, system-prompt-len,
 * question-len, output-len}, {@code requests, seed} and the options of arrivals. {@code sessions}
 * has {@code turns, think} (mean seconds between turns), {@code system, input, output, max-input},
 * {@code tenants, requests, seed} and the options of arrivals, which are those of its sessions.
 * {@code for-learning} has {@code concurrency} (most requests at once), {@code input} (longest
 * prompt), {@code output}, {@code gap} (seconds between bursts), {@code seed} and {@code requests},
 * which takes the first of them. {@code retimed} takes the requests of {@code file}, in a {@code
 * format}, and has {@code requests, seed} and the options of arrivals.
 *
 * <p>Stateless and safe from any thread.
 */
public final class NamedLoads {
  private record Named(String summary, Function<Options, Workload> maker) {}

  private static final Map<String, Named> LOADS = loads();

  private NamedLoads() {}

  private static Map<String, Named> loads() {
    final Map<String, Named> loads = new LinkedHashMap<>();
    loads.put(
        "synthetic",
        new Named("modelled on Azure's conversations, shared prefixes", NamedLoads::synthetic));
    for (MixedLoad.Kind kind : MixedLoad.Kind.values()) {
      loads.put(
          kind.name().toLowerCase(Locale.ROOT).replace('_', '-'),
          new Named(summary(kind), options -> mixed(kind, options)));
    }
    for (Preset preset : Preset.values()) {
      loads.put(preset.label(), new Named(preset.summary(), preset::make));
    }
    loads.put(
        Vllm.RANDOM,
        new Named("as in vllm bench serve: 1,024 tokens in, 128 out, all at once", Vllm::random));
    loads.put(
        Vllm.PREFIX_REPETITION,
        new Named(
            "as in vllm bench serve: 10 prefixes of 256 tokens, 256 more, 128 out",
            Vllm::prefixRepetition));
    loads.put(
        SharedPrefixLoad.NAME,
        new Named(
            "as in sglang.bench_serving: 64 groups of 16 prompts, 2,048 tokens of each shared",
            SharedPrefixLoad::make));
    loads.put(
        SessionLoad.NAME,
        new Named(
            "20 turns with growing prompts, 10 s apart; 0.2 sessions begin per second",
            SessionLoad::make));
    loads.put(
        RetimedLoad.NAME,
        new Named("the requests of file= at other times, rate=8", RetimedLoad::make));
    loads.put(
        ForLearningLoad.NAME,
        new Named(
            "to fit a machine: bursts of 1 to 64 requests, prompts of 16 to 4,000 tokens",
            ForLearningLoad::make));
    return loads;
  }

  /** The names that there are. */
  public static List<String> names() {
    return List.copyOf(LOADS.keySet());
  }

  /**
   * What a load is like, in a line.
   *
   * @param name one of {@link #names()}
   * @return a text for a list of loads
   * @throws IllegalArgumentException if there is no such load
   */
  public static String summary(String name) {
    return named(name, name).summary;
  }

  /** The forms of a rate, as in {@code ramp:FROM:TO:SECONDS}. */
  public static List<String> rateForms() {
    return ArrivalForms.usages();
  }

  /** The forms of gaps between requests, as in {@code gamma:CV}. */
  public static List<String> arrivalForms() {
    return ArrivalForms.gapUsages();
  }

  /** The forms of a length, as in {@code uniform:MIN:MAX}. */
  public static List<String> lengthForms() {
    return LengthForms.usages();
  }

  /**
   * Whether a text is meant to be a made-up load: it starts with the name of one, it has options in
   * parentheses behind a word, or it is a word that is nearly a name.
   *
   * @param text a load, or the path of a file
   * @return true if {@link #open} is the method for it, though it may refuse
   */
  public static boolean isNamed(String text) {
    final String name = text.replaceFirst("\\(.*", "").strip();
    return LOADS.containsKey(name)
        || text.strip().matches("[\\w-]+\\s*\\(.*\\)")
        || (text.matches("[\\w-]+") && NearestName.misspelt(name, LOADS.keySet()).isPresent());
  }

  /**
   * Makes a load.
   *
   * @param text its name, and options in parentheses
   * @return the load, from its start
   * @throws IllegalArgumentException if there is no such load, or it has no such option; the
   *     message lists what there is
   * @throws java.io.UncheckedIOException if the file of {@code retimed} cannot be read
   */
  public static Workload open(String text) {
    final Map<String, Map<String, String>> parsed = PolicySpec.parse(text);
    if (parsed.size() != 1) {
      throw new IllegalArgumentException("a load must be one name with options: load=" + text);
    }
    final Map.Entry<String, Map<String, String>> made = parsed.entrySet().iterator().next();
    final Options options = new Options(text, made.getValue());
    final Workload load = named(made.getKey(), text).maker.apply(options);
    options.requireNoOthers();
    return load;
  }

  private static Named named(String name, String text) {
    final Named found = LOADS.get(name);
    if (found == null) {
      throw new IllegalArgumentException(
          "a made-up load must be one of %s: load=%s%s"
              .formatted(
                  String.join(", ", LOADS.keySet()), text, NearestName.hint(name, LOADS.keySet())));
    }
    return found;
  }

  private static Workload synthetic(Options options) {
    return SyntheticWorkload.builder()
        .requests(options.integer("requests", 2_000))
        .ratePerSecond(options.number("rate", 5.53))
        .burstiness(options.number("burstiness", 1))
        .tenants(options.integer("tenants", 0))
        .seed(options.whole("seed", 1))
        .build();
  }

  private static Workload mixed(MixedLoad.Kind kind, Options options) {
    return new MixedLoad(
        new MixedLoad.Parameters(
            kind,
            options.integer("requests", 2_000),
            options.number("rate", 8),
            options.number("long-share", 0.1),
            options.integer("tenants", kind == MixedLoad.Kind.BURSTY_TENANTS ? 5 : 0),
            options.whole("seed", 1)));
  }

  private static String summary(MixedLoad.Kind kind) {
    return switch (kind) {
      case SHORT_LONG -> "prompts with median 256; a share of 12,000";
      case BURSTY_TENANTS -> "tenant-0 sends half of all requests in 10 s of every minute";
      case PRIORITIES -> "as short-long, the long ones with priority 10 instead of 0";
      case LONG_OUTPUTS -> "prompts with median 512, outputs of 1,024";
    };
  }
}
