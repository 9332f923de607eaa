package dev.headway.scheduler.spi;

import dev.headway.api.internal.NearestName;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Providers found through {@link ServiceLoader}, by name. One that cannot be loaded does not hide
 * the others; it is named when a name is missing. Nothing is made that was not asked for.
 *
 * @param <P> the provider type
 */
public final class NamedProviders<P> {

  private static final Logger LOG = LoggerFactory.getLogger(NamedProviders.class);

  private final String kind;
  private final Function<P, String> nameOf;
  private final Map<String, P> providers = new TreeMap<>();

  /** The owner of each name: the provider itself, or the provider it is a part of. */
  private final Map<String, Class<?>> origins = new HashMap<>();

  private final List<String> broken = new ArrayList<>();

  /**
   * Takes what a service loader finds.
   *
   * @param kind the word for what is provided, for messages: {@code probe}, {@code policy}
   * @param found made by the caller, whose module declares the use
   * @throws IllegalStateException if two providers have the same name
   */
  public NamedProviders(String kind, Function<P, String> nameOf, ServiceLoader<P> found) {
    this.kind = kind;
    this.nameOf = nameOf;
    addAll(found, List::of);
  }

  /**
   * Takes what a service loader finds as well, where one service has several providers.
   *
   * @param found made by the caller, whose module declares the use
   * @throws IllegalStateException if two providers have the same name
   */
  public <S> void addAll(ServiceLoader<S> found, Function<S, Collection<? extends P>> providersOf) {
    final Iterator<S> iterator = found.iterator();
    boolean goOn = true;
    while (goOn) {
      goOn = addNext(iterator, providersOf);
    }
  }

  private <S> boolean addNext(Iterator<S> found, Function<S, Collection<? extends P>> providersOf) {
    final Class<?> origin;
    final Map<String, P> named = new LinkedHashMap<>();
    try {
      if (!found.hasNext()) {
        return false;
      }
      final S service = found.next();
      origin = service.getClass();
      for (P provider : providersOf.apply(service)) {
        final String name = Objects.requireNonNull(nameOf.apply(provider), "it has no name");
        if (named.put(name, provider) != null) {
          throw notUnique(name, origin, origin);
        }
      }
    } catch (Throwable t) {
      return noteBroken(t);
    }
    named.forEach((name, provider) -> add(name, provider, origin));
    return true;
  }

  private void add(String name, P provider, Class<?> origin) {
    final Class<?> before = origins.putIfAbsent(name, origin);
    if (before != null && before != origin) {
      throw notUnique(name, before, origin);
    }
    providers.putIfAbsent(name, provider);
  }

  private IllegalStateException notUnique(String name, Class<?> first, Class<?> second) {
    return new IllegalStateException(
        kind
            + " names must be unique: name='"
            + name
            + "', providers=["
            + first.getName()
            + ", "
            + second.getName()
            + "]");
  }

  /** Returns whether to go on: a class loader that only repeats its error would do so for ever. */
  private boolean noteBroken(Throwable cause) {
    final String message = String.valueOf(cause.getMessage());
    LOG.warn("a {} provider could not be loaded: {}", kind, cause.toString());
    if (!broken.isEmpty() && broken.getLast().equals(message)) {
      return false;
    }
    broken.add(message);
    return true;
  }

  /** The names found, in order. */
  public Set<String> names() {
    return providers.keySet();
  }

  /** The providers found, in the order of their names. */
  public Collection<P> all() {
    return providers.values();
  }

  /**
   * Returns the provider of a name.
   *
   * @throws IllegalArgumentException if there is no such provider, naming all that were found and
   *     the nearest
   */
  public P find(String name) {
    final P provider = providers.get(name);
    if (provider == null) {
      throw new IllegalArgumentException(
          "no "
              + kind
              + " named '"
              + name
              + "': found="
              + providers.keySet()
              + ", broken="
              + broken
              + NearestName.hint(name, providers.keySet())
              + "; is its jar on the class path or module path?");
    }
    return provider;
  }
}
