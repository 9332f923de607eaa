package dev.headway.scheduler.probes;

import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeContext;
import dev.headway.api.probe.ProbeEnvironment;
import dev.headway.api.probe.ProbeProvider;
import dev.headway.api.probe.ProbeRequest;
import dev.headway.scheduler.spi.NamedProviders;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.SortedMap;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds probe providers by name. A provider that cannot be loaded does not hide the others; it is
 * named when a name is missing. Nothing is made that was not asked for.
 */
public final class ProbeLoader {

  private static final Logger LOG = LoggerFactory.getLogger(ProbeLoader.class);

  private final NamedProviders<ProbeProvider> providers;

  /**
   * Looks for providers.
   *
   * @throws IllegalStateException if two providers have the same name
   */
  public ProbeLoader(ClassLoader classLoader) {
    providers =
        new NamedProviders<>(
            "probe", ProbeProvider::name, ServiceLoader.load(ProbeProvider.class, classLoader));
  }

  /** What was found: names with what the providers say of themselves, for listings. */
  public Map<String, String> descriptions() {
    final Map<String, String> descriptions = new TreeMap<>();
    providers.all().forEach(found -> descriptions.put(found.name(), found.description()));
    return descriptions;
  }

  /**
   * The probes that an environment asks for, by name in their order.
   *
   * @throws IllegalArgumentException if a switch has a value that is not allowed
   */
  public SortedMap<String, ProbeRequest> requested(ProbeEnvironment environment) {
    final SortedMap<String, ProbeRequest> requests = new TreeMap<>();
    for (ProbeProvider provider : providers.all()) {
      final ProbeRequest request = provider.requested(environment);
      if (request != null) {
        requests.put(provider.name(), request);
      }
    }
    return requests;
  }

  /**
   * Makes the probes asked for, in the order of their providers.
   *
   * @param wanted options by probe name
   * @param context input of the providers, less the options
   * @throws IllegalArgumentException if there is no provider of a name, or a provider refuses its
   *     options
   * @throws IllegalStateException if a provider fails
   */
  public List<Probe> create(Map<String, Map<String, String>> wanted, ProbeContext context) {
    final List<ProbeProvider> chosen = new ArrayList<>();
    for (String name : wanted.keySet()) {
      chosen.add(providers.find(name));
    }
    chosen.sort(Comparator.comparingInt(ProbeProvider::order).thenComparing(ProbeProvider::name));
    final List<Probe> probes = new ArrayList<>();
    for (ProbeProvider provider : chosen) {
      final Map<String, String> options = wanted.getOrDefault(provider.name(), Map.of());
      probes.add(create(provider, new ProbeContext(context.run(), options), probes));
    }
    if (!chosen.isEmpty()) {
      LOG.info("probes: found={}, chosen={}", providers.names(), wanted.keySet());
    }
    return probes;
  }

  private static Probe create(ProbeProvider provider, ProbeContext context, List<Probe> made) {
    try {
      return Objects.requireNonNull(provider.create(context), "create answered null");
    } catch (IllegalArgumentException e) {
      closeAll(made);
      throw new IllegalArgumentException(
          "probe '" + provider.name() + "' refuses its options: " + e.getMessage(), e);
    } catch (Throwable t) {
      closeAll(made);
      throw new IllegalStateException("probe '" + provider.name() + "' could not be made: " + t, t);
    }
  }

  /** Closes probes that will not be used after all. */
  public static void closeAll(List<Probe> probes) {
    for (Probe probe : probes) {
      try {
        probe.close();
      } catch (Throwable t) {
        LOG.error("probe {} failed to close", probe.getClass().getName(), t);
      }
    }
  }
}
