package dev.headway.scheduler.spi;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
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
    final Iterator<P> iterator = found.iterator();
    boolean goOn = true;
    while (goOn) {
      goOn = addNext(iterator);
    }
  }

  private boolean addNext(Iterator<P> found) {
    final P provider;
    final String name;
    try {
      if (!found.hasNext()) {
        return false;
      }
      provider = found.next();
      name = Objects.requireNonNull(nameOf.apply(provider), "it has no name");
    } catch (Throwable t) {
      return noteBroken(t);
    }
    add(name, provider);
    return true;
  }

  private void add(String name, P provider) {
    final P before = providers.putIfAbsent(name, provider);
    if (before != null && before.getClass() != provider.getClass()) {
      throw new IllegalStateException(
          kind
              + " names must be unique: name='"
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
   * @throws IllegalArgumentException if nobody provides it, naming all that was found
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
              + "; is its jar on the class path or module path?");
    }
    return provider;
  }
}
