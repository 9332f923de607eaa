package dev.headway.cli.command;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Beside which others an option would not be read; {@link OptionConditions} refuses the two. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.FIELD)
public @interface Excludes {

  /** Options that say the same, or that leave nothing for this one to say. */
  String[] value();
}
