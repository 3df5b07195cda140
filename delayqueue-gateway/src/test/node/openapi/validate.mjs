// Validates a document, whose file is the argument, by the schema of OpenAPI's own. Prints the version and "valid", or what is wrong.
import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";

const validator = new Validator();
const { valid, errors } = await validator.validate(JSON.parse(readFileSync(process.argv[2], "utf8")));
console.log(validator.version, valid ? "valid" : JSON.stringify(errors, null, 1));
