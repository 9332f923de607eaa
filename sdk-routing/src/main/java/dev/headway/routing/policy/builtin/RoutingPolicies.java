package dev.headway.routing.policy.builtin;

import dev.headway.api.internal.NearestName;
import dev.headway.api.policy.PolicySpec;
import dev.headway.routing.policy.RoutingContext;
import dev.headway.routing.policy.RoutingPolicy;
import dev.headway.routing.policy.RoutingPolicyProvider;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;

/**
 * Finds routing policies by name: those built in, and every {@link RoutingPolicyProvider} that
 * {@link ServiceLoader} finds. Nothing is made that was not asked for.
 */
public final class RoutingPolicies {

  private final Map<String, RoutingPolicyProvider> providers = new TreeMap<>();

  /**
   * Looks for providers.
   *
   * @throws IllegalStateException if two have the same name
   */
  public RoutingPolicies(ClassLoader classLoader) {
    BuiltInRouting.providers().forEach(this::add);
    ServiceLoader.load(RoutingPolicyProvider.class, classLoader).forEach(this::add);
  }

  private void add(RoutingPolicyProvider provider) {
    final RoutingPolicyProvider before = providers.putIfAbsent(provider.name(), provider);
    if (before != null) {
      throw new IllegalStateException(
          "routing policy names must be unique: name='"
              + provider.name()
              + "', providers=["
              + before.getClass().getName()
              + ", "
              + provider.getClass().getName()
              + "]");
    }
  }

  /** The names there are, in order. */
  public Set<String> names() {
    return Set.copyOf(providers.keySet());
  }

  /** What the providers say of themselves, by name, for listings. */
  public Map<String, String> descriptions() {
    final Map<String, String> descriptions = new TreeMap<>();
    providers.forEach((name, provider) -> descriptions.put(name, provider.description()));
    return descriptions;
  }

  /**
   * Makes one policy.
   *
   * @param spec its name, with options in parentheses as {@link PolicySpec} reads them, for example
   *     {@code cache-aware(threshold=0.3)}
   * @param context what it may use; its options are ignored
   * @throws IllegalArgumentException unless it names one policy there is, with options it has
   */
  public RoutingPolicy create(String spec, RoutingContext context) {
    final Map<String, Map<String, String>> named = PolicySpec.parse(spec);
    if (named.size() != 1) {
      throw new IllegalArgumentException(
          "name exactly one routing policy: router='" + spec + "', found=" + providers.keySet());
    }
    final Map.Entry<String, Map<String, String>> one = named.entrySet().iterator().next();
    final RoutingPolicyProvider provider = providers.get(one.getKey());
    if (provider == null) {
      throw new IllegalArgumentException(
          "no routing policy named '"
              + one.getKey()
              + "': found="
              + providers.keySet()
              + NearestName.hint(one.getKey(), providers.keySet()));
    }
    return provider.create(context.withOptions(one.getValue()));
  }
}
