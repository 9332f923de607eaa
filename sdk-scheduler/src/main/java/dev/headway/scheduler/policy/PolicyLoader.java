package dev.headway.scheduler.policy;

import dev.headway.api.policy.Policies;
import dev.headway.api.policy.PolicyContext;
import dev.headway.api.policy.PolicyProvider;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds policy providers by name. A provider that cannot be loaded does not hide the others; it is
 * named when a name is missing. Nothing is made that was not asked for.
 */
public final class PolicyLoader {

  private static final Logger LOG = LoggerFactory.getLogger(PolicyLoader.class);

  /** Learns from the steps unless told otherwise. */
  private static final String DEFAULT_STEP_TIME = "linear";

  private final Map<String, PolicyProvider> providers = new TreeMap<>();
  private final List<String> broken = new ArrayList<>();

  /**
   * Looks for providers.
   *
   * @throws IllegalStateException if two providers have the same name
   */
  public PolicyLoader(ClassLoader classLoader) {
    final Iterator<PolicyProvider> found =
        ServiceLoader.load(PolicyProvider.class, classLoader).iterator();
    boolean goOn = true;
    while (goOn) {
      goOn = addNext(found);
    }
  }

  private boolean addNext(Iterator<PolicyProvider> found) {
    final PolicyProvider provider;
    final String name;
    try {
      if (!found.hasNext()) {
        return false;
      }
      provider = found.next();
      name = Objects.requireNonNull(provider.name(), "it has no name");
    } catch (Throwable t) {
      return noteBroken(t);
    }
    add(name, provider);
    return true;
  }

  private void add(String name, PolicyProvider provider) {
    final PolicyProvider before = providers.putIfAbsent(name, provider);
    if (before != null && before.getClass() != provider.getClass()) {
      throw new IllegalStateException(
          "policy names must be unique: name='"
              + name
              + "', providers=["
              + before.getClass().getName()
              + ", "
              + provider.getClass().getName()
              + "]");
    }
  }

  /** Returns whether to go on: a class loader that only repeats its error would do so for ever. */
  private boolean noteBroken(Throwable cause) {
    final String message = String.valueOf(cause.getMessage());
    LOG.warn("a policy provider could not be loaded: {}", cause.toString());
    if (!broken.isEmpty() && broken.getLast().equals(message)) {
      return false;
    }
    broken.add(message);
    return true;
  }

  /** What was found: names with what the providers say of themselves, for listings. */
  public Map<String, String> descriptions() {
    final Map<String, String> descriptions = new TreeMap<>();
    providers.forEach((name, provider) -> descriptions.put(name, provider.description()));
    return descriptions;
  }

  /**
   * Makes the policies asked for and puts them together. If one of them {@linkplain NeedsStepTime
   * needs to know durations} and none predicts them, a model is added that learns from the steps.
   *
   * @param wanted options by policy name; {@link PolicySpec#parse} reads them from a text
   * @param context what providers are told; its options are not looked at
   * @throws IllegalArgumentException if nobody provides a name, an option is refused, or two
   *     policies make the same decision
   * @throws IllegalStateException if a provider fails
   */
  public Policies create(Map<String, Map<String, String>> wanted, PolicyContext context) {
    final List<PolicyProvider> chosen = new ArrayList<>();
    wanted.keySet().forEach(name -> chosen.add(find(name)));
    Policies policies = Policies.NONE;
    for (PolicyProvider provider : chosen) {
      final Map<String, String> options = wanted.getOrDefault(provider.name(), Map.of());
      policies =
          policies.and(
              create(provider, new PolicyContext(context.config(), context.kvCache(), options)));
    }
    if (!chosen.isEmpty()) {
      LOG.info("policies: found={}, chosen={}", providers.keySet(), wanted);
    }
    return withStepTime(policies, context);
  }

  private PolicyProvider find(String name) {
    final PolicyProvider provider = providers.get(name);
    if (provider == null) {
      throw new IllegalArgumentException(
          "no policy named '"
              + name
              + "': found="
              + providers.keySet()
              + ", broken="
              + broken
              + "; is its jar on the class path or module path?");
    }
    return provider;
  }

  private static Policies create(PolicyProvider provider, PolicyContext context) {
    try {
      return Objects.requireNonNull(provider.create(context), "create answered null");
    } catch (IllegalArgumentException e) {
      throw e;
    } catch (Throwable t) {
      throw new IllegalStateException(
          "policy '" + provider.name() + "' could not be made: " + t, t);
    }
  }

  private Policies withStepTime(Policies policies, PolicyContext context) {
    final boolean needed =
        policies.order() instanceof NeedsStepTime
            || policies.gate() instanceof NeedsStepTime
            || policies.budget() instanceof NeedsStepTime;
    if (!needed || policies.stepTime() != null) {
      return policies;
    }
    final PolicyContext defaults = new PolicyContext(context.config(), context.kvCache(), Map.of());
    return policies.and(create(find(DEFAULT_STEP_TIME), defaults));
  }
}
