package dev.headway.scheduler.probes;

import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeContext;
import dev.headway.api.probe.ProbeProvider;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds probe providers by name. A provider that cannot be loaded does not hide the others; it is
 * named when a name is missing. Nothing is made that was not asked for.
 */
public final class ProbeLoader {

  private static final Logger LOG = LoggerFactory.getLogger(ProbeLoader.class);

  private final Map<String, ProbeProvider> providers = new TreeMap<>();
  private final List<String> broken = new ArrayList<>();

  /**
   * Looks for providers.
   *
   * @throws IllegalStateException if two providers have the same name
   */
  public ProbeLoader(ClassLoader classLoader) {
    final Iterator<ProbeProvider> found =
        ServiceLoader.load(ProbeProvider.class, classLoader).iterator();
    boolean goOn = true;
    while (goOn) {
      goOn = addNext(found);
    }
  }

  private boolean addNext(Iterator<ProbeProvider> found) {
    final ProbeProvider provider;
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

  private void add(String name, ProbeProvider provider) {
    final ProbeProvider before = providers.putIfAbsent(name, provider);
    if (before != null && before.getClass() != provider.getClass()) {
      throw new IllegalStateException(
          "probe names must be unique: name='"
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
    LOG.warn("a probe provider could not be loaded: {}", cause.toString());
    if (!broken.isEmpty() && broken.getLast().equals(message)) {
      return false;
    }
    broken.add(message);
    return true;
  }

  /**
   * Makes the probes asked for, in the order of their providers.
   *
   * @param wanted options by probe name
   * @param context what providers are told, less the options
   * @throws IllegalArgumentException if nobody provides a name
   * @throws IllegalStateException if a provider fails
   */
  public List<Probe> create(Map<String, Map<String, String>> wanted, ProbeContext context) {
    final List<ProbeProvider> chosen = new ArrayList<>();
    for (String name : wanted.keySet()) {
      chosen.add(find(name));
    }
    chosen.sort(Comparator.comparingInt(ProbeProvider::order).thenComparing(ProbeProvider::name));
    final List<Probe> probes = new ArrayList<>();
    for (ProbeProvider provider : chosen) {
      final Map<String, String> options = wanted.getOrDefault(provider.name(), Map.of());
      probes.add(create(provider, new ProbeContext(context.run(), options), probes));
    }
    if (!chosen.isEmpty()) {
      LOG.info("probes: found={}, chosen={}", providers.keySet(), wanted.keySet());
    }
    return probes;
  }

  private ProbeProvider find(String name) {
    final ProbeProvider provider = providers.get(name);
    if (provider == null) {
      throw new IllegalArgumentException(
          "no probe named '"
              + name
              + "': found="
              + providers.keySet()
              + ", broken="
              + broken
              + "; is its jar on the class path or module path?");
    }
    return provider;
  }

  private static Probe create(ProbeProvider provider, ProbeContext context, List<Probe> made) {
    try {
      return Objects.requireNonNull(provider.create(context), "create answered null");
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
