"""Compares the files named as arguments with the schemas of Kubernetes and of compose.

Prints JSON: `checked` resources, resources of kinds that Kubernetes itself does not have (`foreign`), and `faults`.
"""

import json
import sys

import kubernetes_validate
import yaml
from compose_viz.spec.compose_spec import ComposeSpecification
from pydantic import ValidationError

KUBERNETES = "1.33"


def faults_of_compose(document):
    # The specification allows any extension under these names; its model in Python does not.
    plain = {key: value for key, value in document.items() if not key.startswith("x-")}
    try:
        ComposeSpecification.model_validate(plain)
    except ValidationError as error:
        return [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()]
    return []


def main(paths):
    found = {"checked": [], "foreign": [], "faults": []}
    for path in paths:
        with open(path, encoding="utf8") as file:
            documents = list(yaml.safe_load_all(file))
        for document in documents:
            if "services" in document:
                found["checked"].append("compose")
                found["faults"] += faults_of_compose(document)
                continue
            name = f"{document['kind']} {document['metadata']['name']}"
            try:
                kubernetes_validate.validate(document, KUBERNETES, strict=True)
                found["checked"].append(name)
            except kubernetes_validate.SchemaNotFoundError:
                found["foreign"].append(name)
            except kubernetes_validate.ValidationError as error:
                found["faults"].append(f"{name}: {'.'.join(map(str, error.path))}: {error.message}")
    json.dump(found, sys.stdout)


main(sys.argv[1:])
