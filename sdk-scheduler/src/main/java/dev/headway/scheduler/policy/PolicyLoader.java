package dev.headway.scheduler.policy;

import dev.headway.api.policy.NeedsStepTime;
import dev.headway.api.policy.Policies;
import dev.headway.api.policy.PolicyCatalog;
import dev.headway.api.policy.PolicyContext;
import dev.headway.api.policy.PolicyProvider;
import dev.headway.api.policy.PolicySpec;
import dev.headway.scheduler.spi.NamedProviders;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds policies by name, those of {@link PolicyCatalog}s and single {@link PolicyProvider}s. One
 * that cannot be loaded does not hide the others; it is named when a name is missing. Nothing is
 * made that was not asked for.
 */
public final class PolicyLoader {

  private static final Logger LOG = LoggerFactory.getLogger(PolicyLoader.class);

  /** Estimates step times from observed steps unless set. */
  private static final String DEFAULT_STEP_TIME = "linear";

  private final NamedProviders<PolicyProvider> providers;

  /**
   * Looks for providers and catalogs.
   *
   * @throws IllegalStateException if two of them provide the same name
   */
  public PolicyLoader(ClassLoader classLoader) {
    providers =
        new NamedProviders<>(
            "policy", PolicyProvider::name, ServiceLoader.load(PolicyProvider.class, classLoader));
    providers.addAll(ServiceLoader.load(PolicyCatalog.class, classLoader), PolicyCatalog::policies);
  }

  /** What was found: names with what the providers say of themselves, for listings. */
  public Map<String, String> descriptions() {
    final Map<String, String> descriptions = new TreeMap<>();
    providers.all().forEach(found -> descriptions.put(found.name(), found.description()));
    return descriptions;
  }

  /**
   * Makes the policies asked for and puts them together. If one of them {@linkplain NeedsStepTime
   * needs to know durations} and none predicts them, a model is added that learns from the steps.
   *
   * @param wanted options by policy name; {@link PolicySpec#parse} reads them from a text
   * @param context input of the providers; its options are ignored
   * @throws IllegalArgumentException if there is no provider of a name, an option is refused, or
   *     two policies make the same decision
   * @throws IllegalStateException if a provider fails
   */
  public Policies create(Map<String, Map<String, String>> wanted, PolicyContext context) {
    final List<PolicyProvider> chosen = new ArrayList<>();
    wanted.keySet().forEach(name -> chosen.add(providers.find(name)));
    Policies policies = Policies.NONE;
    for (PolicyProvider provider : chosen) {
      final Map<String, String> options = wanted.getOrDefault(provider.name(), Map.of());
      policies =
          join(
              policies,
              create(provider, new PolicyContext(context.config(), context.kvCache(), options)),
              wanted.keySet());
    }
    if (!chosen.isEmpty()) {
      LOG.info("policies: found={}, chosen={}", providers.names(), wanted);
    }
    return withStepTime(policies, context);
  }

  private static Policies join(Policies policies, Policies more, Set<String> wanted) {
    try {
      return policies.and(more);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(e.getMessage() + ", names=" + wanted, e);
    }
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
    return policies.and(create(providers.find(DEFAULT_STEP_TIME), defaults));
  }
}
