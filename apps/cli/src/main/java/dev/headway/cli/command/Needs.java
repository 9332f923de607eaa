package dev.headway.cli.command;

import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Beside which others an option acts. Without one of them it would be read and change nothing, so
 * {@link OptionConditions} refuses it.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.FIELD)
@Repeatable(Needs.All.class)
public @interface Needs {

  /**
   * Options, or labels of parameters, one of which must be given; of a command that has none of
   * them nothing is asked.
   */
  String[] value();

  /** The values that the option must have, if any will not do; in lower case. */
  String[] is() default {};

  /** Whether the option's default is one of these, so that it need not be given. */
  boolean byDefault() default false;

  /** A variable of the environment that does as well. */
  String variable() default "";

  /** Several conditions, all of which must hold. */
  @Retention(RetentionPolicy.RUNTIME)
  @Target(ElementType.FIELD)
  @interface All {

    /** The conditions. */
    Needs[] value();
  }
}
